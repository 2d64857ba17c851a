package io.csi4j.testkit.cli;

import io.csi4j.testkit.recording.Recording;
import java.nio.file.Path;

/** The recording that a command line names. */
final class RecordingFile {

  private RecordingFile() {}

  static Recording read(Path file) {
    try {
      return Recording.parse(file.toString(), UserFile.lines("the recording", file));
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(OneLine.of(String.valueOf(wrong.getMessage())));
    }
  }
}
