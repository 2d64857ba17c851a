package io.csi4j.testkit.cli;

import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.recording.Recording;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the input files that the command line names. */
final class UserFile {

  /** Maximum size of a file written by a user. */
  private static final int MOST_BYTES = 8 << 20;

  /** Maximum size of a line in a recording. A call with the largest gRPC messages needs less. */
  private static final int LONGEST_CALL = 16 << 20;

  private UserFile() {}

  /** Returns the lines of a file written by a user. The file may be a pipe. */
  static List<String> lines(String what, Path file) {
    return lines(what, file, MOST_BYTES, MOST_BYTES, "Name the file itself, or make it shorter.");
  }

  /**
   * Returns the lines of a file.
   *
   * @param most maximum number of bytes of the file
   * @param longest maximum number of bytes of a line
   * @param next the advice for the user if the file is too large
   */
  static List<String> lines(String what, Path file, long most, int longest, String next) {
    String failed = "Reading " + what + " " + OneLine.quoted(file.toString()) + " failed: ";
    List<String> lines = new ArrayList<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      long left = most;
      for (int each = in.read(); each >= 0; each = in.read()) {
        if (left-- == 0) {
          throw CommandFailure.usage(failed + "it has more than " + most + " bytes. " + next);
        }
        if (each == '\n') {
          add(line, lines);
        } else if (line.size() == longest) {
          throw CommandFailure.usage(
              "%sline %s has more than %s bytes. %s"
                  .formatted(failed, lines.size() + 1, longest, next));
        } else {
          line.write(each);
        }
      }
      if (line.size() > 0) {
        add(line, lines);
      }
      return lines;
    } catch (IOException e) {
      throw CommandFailure.usage(failed + why(e));
    }
  }

  private static void add(ByteArrayOutputStream line, List<String> lines)
      throws CharacterCodingException {
    String text =
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
    line.reset();
    if (text.isEmpty()) {
      lines.add(text);
    } else {
      // A carriage return also ends a line.
      text.lines().forEach(lines::add);
    }
  }

  /** Returns the rules of a fault script; empty without a file. */
  static FaultScript faults(@Nullable Path file) {
    if (file == null) {
      return new FaultScript(List.of());
    }
    try {
      return FaultScript.parse(file.toString(), lines("the fault script", file));
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
    }
  }

  /** Reads a recording of calls. */
  static Recording recording(Path file) {
    // The limit depends on the memory, because a parsed recording needs several times its size.
    List<String> lines =
        lines(
            "the recording",
            file,
            Runtime.getRuntime().maxMemory() / 8,
            LONGEST_CALL,
            "Name a file that 'csi4j plugin proxy --record' wrote.");
    return CommandFailure.orUsage(() -> Recording.parse(file.toString(), lines));
  }

  /** Returns sentences that explain why a file could not be read or written. */
  static String why(IOException e) {
    if (e instanceof FileAlreadyExistsException) {
      return "it already exists.";
    }
    if (e instanceof NoSuchFileException) {
      return "there is no such file or directory. Check the path.";
    }
    if (e instanceof AccessDeniedException) {
      return "this user has no access. Check its permissions.";
    }
    if (e instanceof CharacterCodingException) {
      return "it is not UTF-8. Save it as UTF-8.";
    }
    return OneLine.of(e.toString()) + ".";
  }
}
