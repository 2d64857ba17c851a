package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random steps, after each of which the whole table has to be what it was on a real kernel. What
 * that was is in the file {@code histories.txt}, a hash for each step.
 */
public abstract class RandomContract extends MountsContract {

  private static final int STEPS = 150;
  private static final List<Propagation> PROPAGATIONS = List.of(Propagation.values());
  private static final List<String> PATHS =
      List.of("a", "a/a", "a/b", "a/a/a", "b", "b/a", "b/b", "b/a/a", "c");

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void randomStepsLeadWhereTheyLeadOnARealKernel(long seed) {
    Random random = new Random(seed);
    List<String> history = new ArrayList<>();
    PATHS.forEach(world::directory);
    for (int i = 0; i < STEPS; i++) {
      String step = step(random);
      history.add(step + "\n" + table());
    }
    assertThat(fingerprint(history)).as("%s", history).isEqualTo(recorded().get(seed));
  }

  private String step(Random random) {
    MountPath path = world.path(PATHS.get(random.nextInt(PATHS.size())));
    MountPath other = world.path(PATHS.get(random.nextInt(PATHS.size())));
    Propagation propagation = PROPAGATIONS.get(random.nextInt(PROPAGATIONS.size()));
    boolean recursive = random.nextBoolean();
    boolean lazy = random.nextBoolean();
    int kind = random.nextInt(10);
    String text = kind + " " + name(path) + " " + name(other) + " " + propagation;
    try {
      switch (kind) {
        case 0 -> {
          if (world.exists(path)) {
            world.tmpfsOver(path);
          }
        }
        case 1, 2, 3 -> {
          BindRequest.Builder request = BindRequest.builder(other, path).createTarget(true);
          world.mounts().bind(request.recursive(recursive).build());
        }
        case 4, 5, 6 -> world.mounts().setPropagation(path, propagation, recursive);
        case 7 -> world.mounts().setPropagation(world.path(""), propagation, recursive);
        default -> {
          UnmountPolicy policy = lazy ? ONCE.withLazy() : ONCE;
          text += " " + world.mounts().unmount(path, policy).step();
        }
      }
      return text;
    } catch (MountException e) {
      return text + " " + e.reason();
    }
  }

  private String name(MountPath path) {
    return path.toString().substring(world.path("").toString().length());
  }

  /** The table in the order of its paths, with its numbers replaced by what they mean. */
  private String table() {
    List<MountRecord> all = mountsWithin(world.path(""));
    Map<Integer, MountRecord> byId =
        all.stream().collect(Collectors.toMap(MountRecord::id, Function.identity()));
    List<MountRecord> sorted = new ArrayList<>(all);
    Map<Integer, String> keys = new LinkedHashMap<>();
    all.forEach(record -> keys.put(record.id(), key(record, byId)));
    sorted.sort((a, b) -> keys.get(a.id()).compareTo(keys.get(b.id())));
    Map<Integer, Integer> groups = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder();
    for (MountRecord record : sorted) {
      text.append(keys.get(record.id()))
          .append(' ')
          .append(group("shared", record.propagation().peerGroup(), groups))
          .append(group("master", record.propagation().master(), groups))
          .append(record.propagation().unbindable() ? " unbindable" : "")
          .append('\n');
    }
    return text.toString();
  }

  /** Where a mount is, on how many others at the same place, and what it shows. */
  private String key(MountRecord record, Map<Integer, MountRecord> byId) {
    int depth = 0;
    MountRecord at = record;
    for (MountRecord up = byId.get(at.parentId());
        up != null && up.path().equals(record.path());
        up = byId.get(at.parentId())) {
      depth++;
      at = up;
    }
    return name(record.path()) + "#" + depth + " " + record.root() + " " + record.flags();
  }

  private static String group(String word, OptionalInt group, Map<Integer, Integer> groups) {
    return group.isEmpty()
        ? ""
        : " " + word + groups.computeIfAbsent(group.getAsInt(), key -> groups.size() + 1);
  }

  private static String fingerprint(List<String> history) {
    return history.stream()
        .map(each -> String.format("%04x", each.hashCode() & 0xffff))
        .collect(Collectors.joining(" "));
  }

  private static Map<Long, String> recorded() {
    try (InputStream in = RandomContract.class.getResourceAsStream("histories.txt")) {
      Map<Long, String> histories = new LinkedHashMap<>();
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .forEach(
              line -> {
                int blank = line.indexOf(' ');
                histories.put(Long.parseLong(line.substring(0, blank)), line.substring(blank + 1));
              });
      return histories;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
