package io.csi4j.testkit.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds of the kernel in memory after anything that can be done, whatever its order. */
class RandomMountsTest {

  private static final int STEPS = 300;
  private static final List<Propagation> PROPAGATIONS = List.of(Propagation.values());
  private static final List<String> PATHS = paths();

  private final Set<Long> seenIds = new HashSet<>();

  private static List<String> paths() {
    List<String> paths = new ArrayList<>();
    for (String one : List.of("a", "b", "c")) {
      paths.add("/" + one);
      for (String two : List.of("a", "b")) {
        paths.add("/" + one + "/" + two);
        paths.add("/" + one + "/" + two + "/c");
      }
    }
    return paths;
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 1_000_016, 1_005_216,
        1_005_876
      })
  void theTableIsSoundAfterEveryStep(long seed) {
    Random random = new Random(seed);
    MemoryKernel kernel = new MemoryKernel();
    kernel.mountMax(200);
    List<MemoryNamespace> namespaces = new ArrayList<>(List.of(kernel.host()));
    Map<MemoryNamespace, MountSnapshot> snapshots = new HashMap<>();
    List<OpenHandle> held = new ArrayList<>();
    int done = 0;
    for (int i = 0; i < STEPS; i++) {
      MemoryNamespace namespace = namespaces.get(random.nextInt(namespaces.size()));
      try {
        step(random, namespace, namespaces, held);
        done++;
      } catch (MountException e) {
        // Refused, which must not change the table either.
        assertThat(e.getMessage()).contains(" failed: ");
      }
      for (MemoryNamespace each : namespaces) {
        snapshots.put(each, checkSound(each, snapshots.get(each)));
      }
    }
    assertThat(done).isGreaterThan(STEPS / 3);

    held.forEach(OpenHandle::close);
    for (MemoryNamespace each : namespaces) {
      unmountAll(each);
      assertThat(each.table().list().records()).hasSize(1);
    }
    // Nothing is left behind: numbers are given again from the start.
    kernel.host().directory(MountPath.of("/last"));
    namespaces.stream().skip(1).forEach(MemoryNamespace::close);
    kernel.host().tmpfs(MountPath.of("/last"));
    assertThat(kernel.table().find(MountPath.of("/last")).orElseThrow().id()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23})
  void theSameStepsHaveTheSameResults(long seed) {
    assertThat(history(seed)).isEqualTo(history(seed));
  }

  private static String history(long seed) {
    Random random = new Random(seed);
    MemoryKernel kernel = new MemoryKernel();
    kernel.mountMax(200);
    List<MemoryNamespace> namespaces = new ArrayList<>(List.of(kernel.host()));
    List<OpenHandle> held = new ArrayList<>();
    StringBuilder history = new StringBuilder();
    kernel.watch().start(event -> history.append(event).append('\n'));
    for (int i = 0; i < STEPS; i++) {
      try {
        step(random, namespaces.get(random.nextInt(namespaces.size())), namespaces, held);
      } catch (MountException e) {
        history.append(e.getMessage()).append('\n');
      }
    }
    return history.toString();
  }

  private static void step(
      Random random,
      MemoryNamespace namespace,
      List<MemoryNamespace> namespaces,
      List<OpenHandle> held) {
    MountPath at = MountPath.of(PATHS.get(random.nextInt(PATHS.size())));
    MountPath other = MountPath.of(PATHS.get(random.nextInt(PATHS.size())));
    switch (random.nextInt(14)) {
      case 0, 1 -> namespace.directory(at);
      case 2 -> namespace.tmpfs(at);
      case 3 -> namespace.bind(other, at);
      case 4, 5 ->
          namespace
              .mounts()
              .bind(
                  BindRequest.builder(other, at)
                      .recursive(true)
                      .createTarget(true)
                      .readOnly(random.nextInt(8) == 0)
                      .build());
      case 6 -> namespace.mounts().unmount(at, UnmountPolicy.PLAIN);
      case 7 -> namespace.mounts().unmount(at, UnmountPolicy.PLAIN.withLazy());
      case 8 -> namespace.move(at, other);
      case 9, 10 ->
          namespace
              .mounts()
              .setPropagation(
                  random.nextBoolean() ? at : MountPath.ROOT,
                  PROPAGATIONS.get(random.nextInt(PROPAGATIONS.size())),
                  random.nextBoolean());
      case 11 -> {
        if (namespaces.size() < 3) {
          namespaces.add(namespace.unshare());
        } else {
          namespace.makeUnbindable(at);
        }
      }
      case 12 -> {
        if (held.size() < 3) {
          held.add(namespace.open(at));
        } else {
          held.remove(random.nextInt(held.size())).close();
        }
      }
      default -> {
        if (random.nextBoolean()) {
          namespace.mounts().cleanup(at, UnmountPolicy.PLAIN);
        } else {
          namespace.rename(at, other);
        }
      }
    }
  }

  private MountSnapshot checkSound(MemoryNamespace namespace, MountSnapshot before) {
    MountSnapshot list = namespace.table().list();
    List<MountRecord> all = list.records();
    Map<Integer, MountRecord> byId =
        all.stream().collect(Collectors.toMap(MountRecord::id, Function.identity()));
    long last = 0;
    int roots = 0;
    for (MountRecord record : all) {
      long unique = unique(record);
      assertThat(unique).isGreaterThan(last);
      last = unique;
      MountRecord parent = byId.get(record.parentId());
      assertThat(parent).as("the parent of " + record).isNotNull();
      assertThat(record.path().isWithin(parent.path())).isTrue();
      assertThat(unique(parent)).isEqualTo(record.parentUniqueId().orElseThrow());
      roots += record.parentId() == record.id() ? 1 : 0;
    }
    assertThat(roots).isEqualTo(1);
    if (before != null) {
      Set<Long> known =
          before.records().stream().map(RandomMountsTest::unique).collect(Collectors.toSet());
      for (MountRecord record : all) {
        // A number that was seen and went does not come again.
        assertThat(known.contains(unique(record)) || !seenIds.contains(unique(record))).isTrue();
      }
      assertThat(before.refresh().now().records().stream().map(RandomMountsTest::unique))
          .containsExactlyElementsOf(all.stream().map(RandomMountsTest::unique).toList());
    }
    all.forEach(record -> seenIds.add(unique(record)));
    return list;
  }

  private static void unmountAll(MemoryNamespace namespace) {
    namespace.mounts().setPropagation(MountPath.ROOT, Propagation.PRIVATE, true);
    // Hidden ones cannot be reached; they go with what hides them, or when that is gone.
    for (int i = 0; i < 1000; i++) {
      List<MountRecord> all = namespace.table().list().records();
      for (MountRecord record : all) {
        if (!record.path().isRoot()) {
          namespace.mounts().unmount(record.path(), UnmountPolicy.PLAIN.withLazy());
        }
      }
      if (all.size() == 1) {
        return;
      }
    }
  }

  private static long unique(MountRecord record) {
    return ((MountRef.Identity.Unique) record.ref().identity()).id();
  }
}
