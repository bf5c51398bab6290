// SPDX-License-Identifier: Apache-2.0
/**
 * The clock that all rooms of the listener are given. Every class may use it, on any thread. It knows no other room.
 */
package org.nios2s.listener.time;
