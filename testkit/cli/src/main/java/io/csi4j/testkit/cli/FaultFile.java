package io.csi4j.testkit.cli;

import io.csi4j.testkit.fault.FaultScript;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fault script that a command line names. */
final class FaultFile {

  private FaultFile() {}

  /** Its rules; none without a file. */
  static FaultScript script(@Nullable Path file) {
    if (file == null) {
      return new FaultScript(List.of());
    }
    try {
      return FaultScript.parse(file.toString(), UserFile.lines("the fault script", file));
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
    }
  }
}
