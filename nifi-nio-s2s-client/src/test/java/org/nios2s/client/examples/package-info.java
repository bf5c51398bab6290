/** The short programs of {@code docs/client.md}. */
package org.nios2s.client.examples;
