package io.csi4j.testkit.cli;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An optional output file from the command line. The file is opened at the start of the command, so
 * that a wrong name is noticed early. Its old content remains until the new content is written.
 *
 * @param what the description of the content, such as {@code the report}
 * @param file the path; null if no file is requested
 * @param opened the open file; null if no file is requested
 */
record OutputFile(String what, @Nullable Path file, @Nullable FileChannel opened) {

  /** Opens the file, if one is requested. */
  static OutputFile of(String what, @Nullable Path file) {
    try {
      return new OutputFile(
          what,
          file,
          file == null
              ? null
              : FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw CommandFailure.usage(
          "Writing " + what + " " + OneLine.quoted(file + "") + " failed: " + UserFile.why(e));
    }
  }

  /** Truncates the file, and returns a writer for the new content. */
  PrintWriter begin() {
    FileChannel channel = Objects.requireNonNull(opened);
    try {
      if (Files.isRegularFile(Objects.requireNonNull(file))) {
        channel.truncate(0);
      }
    } catch (IOException e) {
      throw CommandFailure.noConnection(notWhole());
    }
    return new PrintWriter(
        new OutputStreamWriter(Channels.newOutputStream(channel), StandardCharsets.UTF_8));
  }

  /**
   * Writes the content, if a file is requested.
   *
   * @return whether the file is complete; if not, a message is printed to {@code console}
   */
  boolean write(Supplier<String> content, Console console) {
    if (opened == null) {
      return true;
    }
    PrintWriter out = begin();
    out.print(content.get());
    return close(out, console);
  }

  /**
   * Closes the writer that {@link #begin} returned.
   *
   * @return whether the file is complete; if not, a message is printed to {@code console}
   */
  boolean close(PrintWriter written, Console console) {
    written.close();
    if (written.checkError()) {
      console.note(notWhole());
      return false;
    }
    return true;
  }

  private String notWhole() {
    return "Writing "
        + what
        + " failed, so it is incomplete. Free disk space, then write it again.";
  }
}
