package io.csi4j.testkit.junit;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Resources of a plugin that remain after its closing: files, descriptors, threads. */
final class Remains {

  /** File that lists every open socket of this network namespace. The file exists only on Linux. */
  private static final Path SOCKETS = Path.of("/proc/net/unix");

  private Remains() {}

  /** Returns a line for each resource that remains. */
  static List<String> of(List<CsiEndpoint> endpoints, Set<Thread> threads) {
    Set<Path> directories = directories(endpoints);
    List<String> lines = new ArrayList<>(files(directories));
    lines.addAll(descriptors(directories));
    threads.stream()
        .filter(Thread::isAlive)
        .map(thread -> SafeText.escape(thread.getName()))
        .map("Thread '%s' of the plugin still runs. Check what it waits for."::formatted)
        .forEach(lines::add);
    return lines;
  }

  /**
   * A closed plugin removes its own directory, so an existing directory is a leftover. The plugin
   * keeps the directory if it contains a foreign file.
   */
  private static List<String> files(Set<Path> directories) {
    return directories.stream()
        .filter(directory -> Files.exists(directory, LinkOption.NOFOLLOW_LINKS))
        .map(Remains::directory)
        .toList();
  }

  private static Set<Path> directories(List<CsiEndpoint> endpoints) {
    return endpoints.stream()
        .flatMap(endpoint -> Stream.ofNullable(endpoint.path().toAbsolutePath().getParent()))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static String directory(Path directory) {
    List<String> names = new ArrayList<>();
    try (Stream<Path> all = Files.list(directory)) {
      all.limit(10).forEach(path -> names.add(String.valueOf(path.getFileName())));
    } catch (IOException e) {
      names.add("unreadable: " + e.getMessage());
    }
    return "The directory %s of the plugin's sockets is still there, with %s."
            .formatted(SafeText.quote(directory.toString()), SafeText.escape(names.toString()))
        + " Remove what the test put there.";
  }

  /**
   * Compares directories only. The kernel lists a socket under the name with which it was bound,
   * and a plugin renames its socket file afterwards.
   */
  private static List<String> descriptors(Set<Path> directories) {
    List<String> lines = new ArrayList<>();
    List<String> open = openSockets();
    for (Path directory : directories) {
      long count = open.stream().filter(name -> name.startsWith(directory + "/")).count();
      if (count > 0) {
        String where = SafeText.quote(directory.toString()) + ". Close what the test opened there.";
        lines.add(count + " descriptor(s) are still open for sockets in the directory " + where);
      }
    }
    return lines;
  }

  private static List<String> openSockets() {
    try {
      return Files.readAllLines(SOCKETS, StandardCharsets.ISO_8859_1).stream()
          .map(line -> line.substring(Math.min(line.length(), line.lastIndexOf(" /") + 1)))
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
