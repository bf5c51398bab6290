// SPDX-License-Identifier: Apache-2.0
/**
 * Every place of the conversation times every misbehaviour times every transport, on real sockets against the whole listener:
 * each ends as expected, and everything is as it was before.
 */
package org.nios2s.listener.matrix;
