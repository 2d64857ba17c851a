package io.csi4j.volume.kill;

import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.model.PluginId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The process of a {@link MortalPlugin}: it answers what it is asked, a line each. */
final class PluginMain {

  private PluginMain() {}

  /** Serves the plugin named, in the directory given, until its input ends. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (HostPathPlugin plugin =
        StoragePlugin.plugin(PluginId.of(arguments[0]), Path.of(arguments[1]))) {
      out.println("opened");
      BufferedReader questions =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String asked = questions.readLine(); asked != null; asked = questions.readLine()) {
        out.println(asked + " " + answer(asked, plugin));
      }
    }
  }

  private static String answer(String question, HostPathPlugin plugin) {
    return switch (question) {
      case "staged" ->
          StoragePlugin.staged(plugin.contents()).stream()
              .map(volume -> volume.value())
              .collect(Collectors.joining(" "));
      case "owed" ->
          plugin.contents().pending().stream()
              .map(line -> line.replace(' ', '_'))
              .collect(Collectors.joining(" "));
      default -> throw new IllegalArgumentException(question);
    };
  }
}
