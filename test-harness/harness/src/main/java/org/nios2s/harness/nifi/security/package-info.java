// SPDX-License-Identifier: Apache-2.0
/**
 * The security of a NiFi of the harness: its certificate authority, its key stores and its access policies.
 *
 * <p>Netty's test kit makes the certificates. By hand: the stores, since the kit's have numbers for names, and the kit's authority
 * beside the key; and the policies, as all requests to NiFi's REST API.
 */
package org.nios2s.harness.nifi.security;
