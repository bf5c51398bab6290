// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.nifi.components.PropertyDescriptor;
import org.apache.nifi.components.PropertyValue;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.io.InputStreamCallback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.PullLedger;
import org.nios2s.harness.load.SizeMix;
import org.nios2s.harness.load.TransactionTimes;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.sink.LedgerSink;
import org.nios2s.harness.sink.Parcel;

/** What a listener may do to acknowledged packets, in front of the real sink and of clients that pull. Runs on the test's thread. */
class DamagedPacketsTest {

    private static final int PACKETS = 20;
    private static final Shape SHAPE = new Shape(Direction.PUSH, PACKETS, SizeMix.parse("50%10b+50%3k"), 3, 20, false);
    private static final PacketFactory SENT = new PacketFactory("run", SHAPE);
    private static final PacketFactory OF_A_SOURCE = new PacketFactory("run", SHAPE.ofOneSize());
    private static final LedgerCheck.Wait IDLE =
            new LedgerCheck.Wait(Duration.ofMillis(1), Duration.ofSeconds(20), () -> false, () -> false, () -> {});

    @TempDir
    private Path directory;

    /** A packet on its way. */
    private record Packet(byte[] content, Map<String, String> attributes) {}

    /** What is done to the packets of a transaction. */
    @FunctionalInterface
    private interface Damage {
        void to(List<Packet> packets);
    }

    @Test
    void nothingIsWrongWithoutDamage() throws Exception {
        final LedgerMetrics pushed = pushed(packets -> {});

        assertEquals(new LedgerMetrics(PACKETS, PACKETS, 0, 0, 0, 0L, null, true), pushed);
        assertTrue(pushed.exact());
        assertEquals(new PullLedger.State(PACKETS, PACKETS, 0, 0, null), pulled(packets -> {}));
    }

    @Test
    void aFlowFileWithTheNumberOfAnotherIsThereTwice() throws Exception {
        final LedgerCheck check = LedgerCheck.before(List.of(directory.resolve("parcels")));
        final LedgerSink sink = new LedgerSink();
        sink.openLedger(context());
        sink.onTrigger(null, session(packets(SENT)));
        sink.onTrigger(null, session(packets(SENT)));
        sink.closeLedger();

        assertEquals(
                new LedgerMetrics(PACKETS, PACKETS, 0, PACKETS, 0, 0L, null, true),
                check.compare(outcome(), PACKETS, SENT::parcel, IDLE));
    }

    @Test
    void emptyContentsAreSeen() throws Exception {
        assertDamaged(PACKETS, packets -> packets.replaceAll(packet -> new Packet(new byte[0], packet.attributes())));
    }

    @Test
    void lostAttributesAreSeen() throws Exception {
        assertDamaged(
                PACKETS,
                packets -> packets.forEach(
                        packet -> packet.attributes().keySet().removeIf(name -> name.startsWith("attribute."))));
    }

    @Test
    void oneLostAttributeIsSeen() throws Exception {
        assertDamaged(1, packets -> packets.get(7).attributes().remove("attribute.2"));
    }

    @Test
    void oneFlippedBitIsSeen() throws Exception {
        assertDamaged(1, packets -> {
            final byte[] content = packets.get(7).content();
            content[content.length / 2] ^= 1;
        });
    }

    @Test
    void swappedContentsAreSeen() throws Exception {
        assertDamaged(2, packets -> {
            final int other = sameSize(packets, 3);
            final Packet first = packets.get(3);
            packets.set(3, new Packet(packets.get(other).content(), first.attributes()));
            packets.set(other, new Packet(first.content(), packets.get(other).attributes()));
        });
    }

    @Test
    void aPacketThatIsThereTwiceIsSeen() throws Exception {
        final LedgerMetrics pushed = pushed(packets -> packets.add(packets.get(7)));

        assertEquals(1, pushed.duplicated());
        assertEquals(0, pushed.lost() + pushed.damaged());
        assertFalse(pushed.exact());
        assertEquals(1, pulled(packets -> packets.add(packets.get(7))).duplicated());
    }

    @Test
    void aPacketWithoutItsIdIsLostToThePusherAndDamagedToThePuller() throws Exception {
        assertEquals(
                1,
                pushed(packets -> packets.get(7).attributes().remove("packet.id"))
                        .lost());
        assertEquals(
                1,
                pulled(packets -> packets.get(7).attributes().remove("packet.id"))
                        .damaged());
    }

    private void assertDamaged(final int expected, final Damage damage) throws Exception {
        final LedgerMetrics pushed = pushed(damage);
        assertEquals(expected, pushed.damaged().intValue());
        assertEquals(0, pushed.lost() + pushed.duplicated());
        assertFalse(pushed.exact());
        assertTrue(pushed.damage().startsWith("run-0-0-"), pushed.damage());
        assertEquals(expected, pulled(damage).damaged());
    }

    private static int sameSize(final List<Packet> packets, final int as) {
        for (int other = as + 1; other < packets.size(); other++) {
            if (packets.get(other).content().length == packets.get(as).content().length) {
                return other;
            }
        }
        throw new AssertionError("no two packets are of one size");
    }

    private LedgerMetrics pushed(final Damage damage) throws Exception {
        final LedgerCheck check = LedgerCheck.before(List.of(directory.resolve("parcels")));
        final List<Packet> packets = packets(SENT);
        damage.to(packets);
        final LedgerSink sink = new LedgerSink();
        sink.openLedger(context());
        sink.onTrigger(null, session(packets));
        sink.closeLedger();
        return check.compare(outcome(), PACKETS, SENT::parcel, IDLE);
    }

    private ProcessContext context() {
        final Map<String, Object> values =
                Map.of("Ledger Directory", directory.toString(), "Parcel File", "parcels", "Batch Size", 1_000);
        return as(ProcessContext.class, (method, arguments) -> {
            final Object value = values.get(((PropertyDescriptor) arguments[0]).getName());
            return as(PropertyValue.class, (asked, none) -> value);
        });
    }

    /** A session in whose queue the packets are; as in a NiFi that was restarted, numbers begin again. */
    private static ProcessSession session(final List<Packet> packets) {
        final Map<FlowFile, Packet> queue = new LinkedHashMap<>();
        packets.forEach(packet -> queue.put(flowFile(queue.size(), packet), packet));
        return as(ProcessSession.class, (method, arguments) -> switch (method) {
            case "get" -> List.copyOf(queue.keySet());
            case "read" -> {
                ((InputStreamCallback) arguments[1])
                        .process(
                                new ByteArrayInputStream(queue.get(arguments[0]).content()));
                yield null;
            }
            case "commitAsync" -> {
                ((Runnable) arguments[0]).run();
                yield null;
            }
            default -> null;
        });
    }

    private static FlowFile flowFile(final long number, final Packet packet) {
        final Map<String, String> attributes = new HashMap<>(packet.attributes());
        attributes.put("uuid", UUID.randomUUID().toString());
        return as(FlowFile.class, (method, arguments) -> switch (method) {
            case "getId" -> number;
            case "getSize" -> (long) packet.content().length;
            case "getAttributes" -> attributes;
            case "getAttribute" -> attributes.get(arguments[0]);
            case "hashCode" -> (int) number;
            case "equals" -> ((FlowFile) arguments[0]).getId() == number;
            default -> throw new UnsupportedOperationException(method);
        });
    }

    /** What a method of NiFi's answers. */
    @FunctionalInterface
    private interface Answer {
        Object to(String method, Object[] arguments) throws Exception;
    }

    private static <T> T as(final Class<T> type, final Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                DamagedPacketsTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }

    private static PullLedger.State pulled(final Damage damage) {
        final PullLedger ledger = new PullLedger(SHAPE.ofOneSize());
        final List<Packet> packets = packets(OF_A_SOURCE);
        damage.to(packets);
        ledger.enter(packets.stream()
                .map(packet -> Parcel.of(packet.attributes(), packet.content()))
                .toList());
        return ledger.state();
    }

    private static List<Packet> packets(final PacketFactory factory) {
        final List<Packet> packets = new ArrayList<>();
        for (int packet = 0; packet < PACKETS; packet++) {
            packets.add(new Packet(factory.content(0, 0, packet), new HashMap<>(factory.attributes(0, 0, packet))));
        }
        return packets;
    }

    private static LoadOutcome outcome() {
        final LoadRecorder recorder = new LoadRecorder(new LoadSettings(
                1,
                1,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(1),
                SHAPE,
                LoadSettings.Connection.KEPT));
        final ClientStats client = new ClientStats(0, recorder);
        client.succeeded(0, new TransactionTimes(), false, PACKETS, 0);
        return recorder.outcome("run", Instant.EPOCH, Duration.ofSeconds(1), List.of(client));
    }
}
