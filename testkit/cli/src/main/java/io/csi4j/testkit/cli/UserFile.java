package io.csi4j.testkit.cli;

import java.io.BufferedInputStream;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file that the command line names. */
final class UserFile {

  /** Maximum size of a file that a person writes. */
  private static final int MOST_BYTES = 8 << 20;

  private UserFile() {}

  /** The lines of a file that a person writes; it may be a pipe. */
  static List<String> lines(String what, Path file) {
    return lines(what, file, MOST_BYTES, MOST_BYTES, "Name the file itself, or make it shorter.");
  }

  /**
   * Returns the lines of a file.
   *
   * @param most maximum number of bytes of the file
   * @param longest maximum number of bytes of a line
   * @param next the next step for a person if the file has more
   */
  static List<String> lines(String what, Path file, long most, int longest, String next) {
    String failed = "Reading " + what + " " + named(file) + " failed: ";
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
              failed
                  + "line "
                  + (lines.size() + 1)
                  + " has more than "
                  + longest
                  + " bytes. "
                  + next);
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
      // A carriage return ends a line, too.
      text.lines().forEach(lines::add);
    }
  }

  /** Writes it again. It stays as it is until there is text, or it is flushed. */
  static PrintWriter writer(String what, Path file) {
    try {
      Rewriting bytes =
          new Rewriting(
              file, FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
      return new PrintWriter(
          new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8))) {
        @Override
        public void flush() {
          bytes.wanted = true;
          super.flush();
        }
      };
    } catch (IOException e) {
      throw CommandFailure.usage("Writing " + what + " " + named(file) + " failed: " + why(e));
    }
  }

  /** Closes what was written, which must be whole. */
  static void close(String what, PrintWriter written) {
    written.flush();
    written.close();
    if (written.checkError()) {
      throw CommandFailure.noConnection(notWhole(what));
    }
  }

  /**
   * Closes what was written, if anything was, also after another failure, which this must not hide.
   *
   * @return whether it is whole; if not, {@code console} says so
   */
  static boolean close(String what, @Nullable PrintWriter written, Console console) {
    if (written == null) {
      return true;
    }
    written.close();
    boolean whole = !written.checkError();
    if (!whole) {
      console.err().println(notWhole(what));
    }
    return whole;
  }

  private static String notWhole(String what) {
    return "Writing "
        + what
        + " failed, and it is not whole. Make room on its disk, and write it again.";
  }

  /** Empties a file when something is written to it, and not when it is opened. */
  private static final class Rewriting extends FilterOutputStream {

    private final Path file;
    private final FileChannel channel;
    private boolean wanted;
    private boolean begun;

    Rewriting(Path file, FileChannel channel) {
      super(Channels.newOutputStream(channel));
      this.file = file;
      this.channel = channel;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      begin();
      out.write(bytes, from, length);
    }

    @Override
    public void write(int next) throws IOException {
      begin();
      out.write(next);
    }

    @Override
    public void flush() throws IOException {
      // A writer that is closed flushes, too.
      if (wanted) {
        begin();
      }
      out.flush();
    }

    private void begin() throws IOException {
      if (!begun && Files.isRegularFile(file)) {
        channel.truncate(0);
      }
      begun = true;
    }

    @Override
    public void close() throws IOException {
      out.close();
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
