// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** What a result says about what was measured. On the test's thread. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class MachineTest {

    private static final String PROPERTY = "s2s.harness.commit";

    @AfterEach
    void forget() {
        System.clearProperty(PROPERTY);
    }

    @Test
    void theCommitIsNamedInAClone() {
        System.setProperty(PROPERTY, "0123abcd-dirty");

        final Map<String, String> versions = Machine.current(Set.of("2.9.0")).versions();

        assertEquals("0123abcd-dirty", versions.get(Machine.COMMIT));
        assertEquals("2.9.0", versions.get(Machine.NIFI));
    }

    @Test
    void twoCommitsAreOfTheSameMachine() {
        System.setProperty(PROPERTY, "one");
        final Machine one = Machine.current(Set.of("2.9.0"));
        System.setProperty(PROPERTY, "other");

        assertEquals(one.withoutCommit(), Machine.current(Set.of("2.9.0")).withoutCommit());
    }

    @Test
    void outsideACloneNoCommitIsNamed() {
        System.setProperty(PROPERTY, "");

        assertFalse(Machine.current(Set.of()).versions().containsKey(Machine.COMMIT));
    }
}
