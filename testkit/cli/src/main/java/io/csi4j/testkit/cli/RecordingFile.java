package io.csi4j.testkit.cli;

import io.csi4j.testkit.recording.Recording;
import java.nio.file.Path;
import java.util.List;

/** The recording that a command line names. */
final class RecordingFile {

  /** Maximum size of a line; a call with the largest messages of gRPC takes less. */
  private static final int LONGEST_LINE = 16 << 20;

  private RecordingFile() {}

  static Recording read(Path file) {
    try {
      // A recording takes several times its size in memory.
      List<String> lines =
          UserFile.lines(
              "the recording",
              file,
              Runtime.getRuntime().maxMemory() / 8,
              LONGEST_LINE,
              "Name a file that 'csi4j plugin proxy --record' wrote.");
      return Recording.parse(file.toString(), lines);
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(OneLine.of(String.valueOf(wrong.getMessage())));
    }
  }
}
