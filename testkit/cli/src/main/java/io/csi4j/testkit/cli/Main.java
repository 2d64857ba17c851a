package io.csi4j.testkit.cli;

import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;

/**
 * The entry point of the process. It connects the program to the arguments, the streams and the
 * exit code.
 */
public final class Main {

  /** Time that the program has for cleaning up after a signal. */
  private static final Duration TO_CLEAN_UP = Duration.ofSeconds(20);

  private Main() {}

  /** Runs the command line, and ends the process with its exit code. */
  public static void main(String[] args) {
    run(new SignalTrigger(TO_CLEAN_UP), args);
  }

  static void run(SignalTrigger ending, String... args) {
    Console console =
        new Console(
            writer(System.out, "stdout.encoding"),
            writer(System.err, "stderr.encoding"),
            Screen.isTerminal(2),
            Screen.of(1));
    int code = Program.run(console, ending, args);
    console.flush();
    if (console.out().checkError()) {
      console.note("Writing to standard output failed, so the output is incomplete.");
      code = code == ExitCode.OK ? ExitCode.NO_CONNECTION : code;
    }
    if (!ending.finished(code)) {
      System.exit(code);
    }
  }

  private static PrintWriter writer(PrintStream stream, String encodingProperty) {
    String encoding = System.getProperty(encodingProperty);
    Charset charset = encoding == null ? Charset.defaultCharset() : Charset.forName(encoding);
    return new PrintWriter(new BufferedWriter(new OutputStreamWriter(stream, charset)), true) {
      @Override
      public boolean checkError() {
        // The writer and the stream each record their own errors.
        return super.checkError() || stream.checkError();
      }
    };
  }
}
