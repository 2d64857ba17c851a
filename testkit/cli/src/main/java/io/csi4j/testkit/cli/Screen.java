package io.csi4j.testkit.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * The terminal to which results are printed, if there is a terminal.
 *
 * @param width supplies the number of columns; called when output is formatted
 * @param coloured whether text may be coloured
 */
record Screen(IntSupplier width, boolean coloured) {

  /** Width that is used for a file or a pipe. */
  static final int UNLIMITED = Integer.MAX_VALUE;

  /** The screen for a file or a pipe: lines of any length, without colours. */
  static final Screen NONE = new Screen(() -> UNLIMITED, false);

  /**
   * Returns the terminal on a file descriptor of this process; {@link #NONE} if the descriptor is
   * not a terminal.
   */
  static Screen of(int descriptor) {
    return isTerminal(descriptor) ? of(System.getenv(), () -> ownWidth(descriptor)) : NONE;
  }

  /**
   * Returns a terminal with the settings in these environment variables. {@code COLUMNS} takes
   * precedence over the width that the terminal reports.
   */
  static Screen of(Map<String, String> environment, IntSupplier own) {
    String columns = environment.getOrDefault("COLUMNS", "");
    boolean isSet = columns.matches("[1-9]\\d{0,4}");
    boolean isDumb = environment.getOrDefault("TERM", "dumb").equals("dumb");
    return new Screen(
        isSet ? () -> Integer.parseInt(columns) : own,
        !isDumb && environment.getOrDefault("NO_COLOR", "").isEmpty());
  }

  /**
   * Returns whether a file descriptor is a terminal. The JDK cannot answer this for a single
   * descriptor.
   */
  static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor(descriptor).toPath()).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException noProc) {
      return false;
    }
  }

  private static File descriptor(int number) {
    return Path.of("/proc/self/fd", Integer.toString(number)).toFile();
  }

  /** Returns the width that the terminal reports. A serial line reports 0, which is not used. */
  private static int ownWidth(int descriptor) {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(descriptor(descriptor))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return size.matches("\\d{1,5} [1-9]\\d{0,4}\\s*")
          ? Integer.parseInt(size.strip().replaceFirst(".* ", ""))
          : UNLIMITED;
    } catch (IOException noStty) {
      return UNLIMITED;
    }
  }

  /** Formats the text as a heading. */
  String heading(String text) {
    return styled("1", text);
  }

  /** Formats the text as a problem that needs attention. */
  String alarm(String text) {
    return styled("31", text);
  }

  private String styled(String style, String text) {
    return coloured && !text.isEmpty() ? "\u001b[" + style + "m" + text + "\u001b[0m" : text;
  }
}
