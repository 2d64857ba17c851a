package io.csi4j.testkit.cli;

import io.csi4j.testkit.FakeCsiPlugin;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Runs typical commands against an in-memory plugin, without any output. The launcher of the
 * program runs this command to create a class data archive.
 */
@Command(description = "Loads the classes that the other commands need.")
final class TrainCommand implements Callable<Integer> {

  @Override
  public Integer call() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Console console = new Console(nowhere, nowhere, false);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      String endpoint = plugin.endpoint().toString();
      run(console, "--help");
      run(console, "plugin", "probe", "--endpoint", endpoint, "--json");
      run(console, "plugin", "call", "NodeGetInfo", "--endpoint", endpoint);
      run(console, "mounts", "list");
      run(console, "mounts", "why", "/proc");
      run(console, "state", "show", Path.of("/proc/self/no-such-state").toString());
    }
    return ExitCode.OK;
  }

  private static void run(Console console, String... args) {
    int unused = Program.run(console, () -> {}, args);
  }
}
