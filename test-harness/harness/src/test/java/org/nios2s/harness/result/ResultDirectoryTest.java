/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command leaves behind can be read again. Runs on the test's thread. */
class ResultDirectoryTest {

    @TempDir
    private Path parent;

    @Test
    void aResultIsReadAsItWasWritten() throws IOException {
        final ScenarioResult result = Samples.comparison();
        final ResultDirectory directory = ResultDirectory.create(parent, "compare");

        directory.finish(result);

        assertEquals(result, ResultDirectory.read(directory.path()));
    }

    @Test
    void twoCommandsOfTheSameSecondHaveDirectoriesOfTheirOwn() throws IOException {
        final ResultDirectory first = ResultDirectory.create(parent, "compare");
        final ResultDirectory second = ResultDirectory.create(parent, "compare");

        assertEquals(parent, first.path().getParent());
        assertEquals(false, first.path().equals(second.path()));
    }
}
