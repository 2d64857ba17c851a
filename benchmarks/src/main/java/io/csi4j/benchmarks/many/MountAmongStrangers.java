package io.csi4j.benchmarks.many;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountPath;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Mounts and unmounts a volume repeatedly, through the real engine and by real binds, among foreign
 * mounts. The arguments are ROOT SOURCE STRANGERS COUNT. COUNT is the number of foreign mounts,
 * which are below STRANGERS. {@link MountNamespace} starts this program.
 *
 * <p>The program prints {@code ready}. Each line of its input is the length of a window in
 * milliseconds. The answer contains the nanoseconds of the median mount and of the median unmount.
 */
public final class MountAmongStrangers {

  /** The line that the program prints when all foreign mounts exist and the engine is open. */
  static final String READY = "ready";

  private static final int VOLUME = 0;

  private MountAmongStrangers() {}

  /** Executes commands until its input ends. */
  public static void main(String[] words) throws IOException {
    MountPath source = MountPath.of(words[1]);
    Path strangers = Files.createDirectories(Path.of(words[2]));
    for (int i = 0; i < Integer.parseInt(words[3]); i++) {
      Path target = Files.createDirectory(strangers.resolve("stranger-" + i));
      Mounts.system().bind(BindRequest.builder(source, MountPath.of(target)).build());
    }
    Path root = Files.createDirectories(Path.of(words[0]));
    try (Kernel kernel = Kernel.of("binds", words[1]);
        Node node = Node.open(root, kernel)) {
      System.out.println(READY);
      BufferedReader asked =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String millis = asked.readLine(); millis != null; millis = asked.readLine()) {
        System.out.println(window(node, Long.parseLong(millis)));
      }
    }
  }

  private static String window(Node node, long millis) {
    List<Long> mounts = new ArrayList<>();
    List<Long> unmounts = new ArrayList<>();
    long end = System.nanoTime() + millis * 1_000_000;
    do {
      long begun = System.nanoTime();
      node.mount(VOLUME).join();
      long mounted = System.nanoTime();
      node.unmount(VOLUME).join();
      mounts.add(mounted - begun);
      unmounts.add(System.nanoTime() - mounted);
    } while (System.nanoTime() - end < 0);
    return String.format(Locale.ROOT, "%d %d", median(mounts), median(unmounts));
  }

  private static long median(List<Long> times) {
    Collections.sort(times);
    return times.get(times.size() / 2);
  }
}
