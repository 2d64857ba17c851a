package io.csi4j.testkit.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A file that the command line names. */
final class UserFile {

  private UserFile() {}

  /** Its lines. */
  static List<String> lines(String what, Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw CommandFailure.usage("Reading " + what + " " + named(file) + " failed: " + why(e));
    }
  }

  /** Writes it again. */
  static PrintWriter writer(String what, Path file) {
    try {
      return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw CommandFailure.usage("Writing " + what + " " + named(file) + " failed: " + why(e));
    }
  }

  /** Closes what was written, which must be whole. */
  static void close(String what, PrintWriter written) {
    written.close();
    if (written.checkError()) {
      throw CommandFailure.noConnection(
          "Writing "
              + what
              + " failed, and it is not whole. Make room on its disk, and write it again.");
    }
  }

  /** A directory that has to be there. */
  static Path directory(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.usage(
          "There is no directory " + named(directory) + ". Make it, or name one that exists.");
    }
    return directory;
  }

  private static String named(Path file) {
    return OneLine.quoted(file.toString());
  }

  /** Why a file could not be read or written, as sentences. */
  static String why(IOException e) {
    if (e instanceof FileAlreadyExistsException) {
      return "it is there already.";
    }
    if (e instanceof NoSuchFileException) {
      return "there is no such file or directory. Check the path.";
    }
    if (e instanceof AccessDeniedException) {
      return "this user may not. Check its permissions.";
    }
    if (e instanceof CharacterCodingException) {
      return "it is not UTF-8. Save it as UTF-8.";
    }
    return OneLine.of(e.toString()) + ".";
  }
}
