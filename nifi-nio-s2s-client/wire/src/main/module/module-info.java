// SPDX-License-Identifier: Apache-2.0
/** The codecs of RAW Site-to-Site that listener and client share. */
module org.nios2s.wire {
    requires transitive io.netty.buffer;

    exports org.nios2s.wire;
}
