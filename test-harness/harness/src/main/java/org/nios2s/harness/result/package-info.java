/**
 * What a run found, and how it is shown: result.json, the CSV of the 2019 scale test with its index, tables.
 */
package org.nios2s.harness.result;
