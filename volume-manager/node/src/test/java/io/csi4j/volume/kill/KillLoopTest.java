package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.kill.KillWorld.Use;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A host and two plugins, each a process, that are killed from outside at any instant, alone or
 * together, while the workloads keep a file open in each volume that they use. For how long, and by
 * which chance, come from the system properties {@code kill.seconds} and {@code kill.seed}: {@code
 * testing/kill-loop} sets them.
 */
@Tag("campaign")
@PlayedInShares
@MountTest
class KillLoopTest {

  private static final long SECONDS = Long.getLong("kill.seconds", 10);
  private static final long SEED = Long.getLong("kill.seed", 1);
  private static final List<PluginId> PLUGINS =
      List.of(PluginId.of("one.csi4j.example"), PluginId.of("two.csi4j.example"));
  private static final List<String> WORKLOADS = List.of("w1", "w2");
  private static final int VOLUMES = 3;

  /** The longest time that a round goes on before something is killed. */
  private static final int LONGEST_MILLIS = 120;

  /** Of umount2(2). */
  private static final int MNT_DETACH = 2;

  private final Random random = new Random(SEED);
  private final Map<Use, OpenFile> open = new LinkedHashMap<>();
  private final List<Use> uses = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private KillWorld world;
  private EngineProcess host;
  private int rounds;
  private int hostKills;
  private int pluginKills;
  private int writes;
  private int again;

  @Test
  @Timeout(36_000)
  void whoeverIsKilledNoOpenFileIsLostAndWhatIsWantedIsThereAndNothingElse(Scratch scratch) {
    try (KillWorld opened = KillWorld.ofMortalPlugins(scratch, PLUGINS.toArray(PluginId[]::new))) {
      begin(opened);
      long begun = System.nanoTime();
      while (wrong.isEmpty() && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(SECONDS)) {
        round();
        rounds++;
      }
      if (wrong.isEmpty()) {
        List.copyOf(open.keySet()).forEach(this::close);
        reconcile(List.of());
        wrong.addAll(world.left());
        host.end();
      }
    } finally {
      open.values().forEach(OpenFile::close);
    }
    // The script that asked for this run reads the line.
    System.out.printf(
        "VERDICT %s|%d rounds, %d kills of the host and %d of its two plugins, %d lines written to"
            + " open files, %d reconciliations repeated; seed %d|%s%n",
        wrong.isEmpty() ? "good" : "bad",
        rounds,
        hostKills,
        pluginKills,
        writes,
        again,
        SEED,
        wrong.isEmpty() ? "nothing" : wrong);
    assertThat(wrong).isEmpty();
    assertThat(hostKills).isPositive();
    assertThat(pluginKills).isPositive();
    assertThat(writes).isPositive();
  }

  /** Without this the test above might not see what it looks for. */
  @Test
  void aMountThatWasMadeAgainUnderAnOpenFileAndALostLineAreFound(Scratch scratch) throws Exception {
    try (KillWorld opened = KillWorld.ofMortalPlugins(scratch, PLUGINS.toArray(PluginId[]::new))) {
      begin(opened);
      List<Use> wanted = List.of(uses.get(0), uses.get(uses.size() - 1));
      reconcile(wanted);
      look(wanted);
      assertThat(wrong).isEmpty();
      host.kill();
      Use moved = wanted.get(0);
      assertThat(scratch.rawUnmount(MountPath.of(world.target(moved)), MNT_DETACH)).isZero();
      host = world.engine();
      reconcile(wanted);
      look(wanted);
      assertThat(wrong).containsExactly(moved + " was mounted again under an open file");

      wrong.clear();
      Use cut = wanted.get(1);
      Path kept = world.content(cut).resolve("log-" + cut.workload());
      int lines = Files.readAllLines(kept).size();
      Files.writeString(kept, "0\n");
      close(cut);
      assertThat(wrong).containsExactly(kept + " has 1 lines of " + lines);
    } finally {
      open.values().forEach(OpenFile::close);
    }
  }

  private void begin(KillWorld opened) {
    world = opened;
    for (PluginId plugin : PLUGINS) {
      for (int i = 0; i < VOLUMES; i++) {
        Use first = world.volume("v" + uses.size(), plugin);
        WORKLOADS.forEach(workload -> uses.add(first.by(workload)));
      }
    }
    host = world.engine();
  }

  /** Deeds, a kill in the middle of them, and a reconciliation; then everything is looked at. */
  private void round() {
    int asked = deeds();
    pass();
    boolean hostDies = random.nextInt(3) > 0;
    List<MortalPlugin> victims = victims(hostDies);
    List<Runnable> kills = new ArrayList<>();
    List<Runnable> starts = new ArrayList<>();
    victims.forEach(plugin -> kills.add(plugin::kill));
    victims.forEach(plugin -> starts.add(plugin::revive));
    if (hostDies) {
      kills.add(() -> host.kill());
      starts.add(() -> host = world.engine());
    }
    inAnyOrder(kills);
    inAnyOrder(starts);
    hostKills += hostDies ? 1 : 0;
    pluginKills += victims.size();
    if (!hostDies) {
      answers(asked);
    }
    List<Use> wanted =
        uses.stream().filter(use -> open.containsKey(use) || random.nextInt(3) == 0).toList();
    while (random.nextInt(4) == 0) {
      host.order(order(wanted));
      pass();
      host.kill();
      hostKills++;
      host = world.engine();
    }
    reconcile(wanted);
    look(wanted);
  }

  private void inAnyOrder(List<Runnable> things) {
    Collections.shuffle(things, random);
    for (Runnable each : things) {
      each.run();
      pass();
    }
  }

  /** Who is killed beside the host, or in its place. */
  private List<MortalPlugin> victims(boolean hostDies) {
    List<MortalPlugin> all = new ArrayList<>(world.mortals());
    Collections.shuffle(all, random);
    return all.subList(0, hostDies ? Math.max(0, random.nextInt(4) - 1) : 1 + random.nextInt(2));
  }

  /** Workloads that come and go; gives how many orders the host got. */
  private int deeds() {
    List<Use> chosen = new ArrayList<>(uses);
    Collections.shuffle(chosen, random);
    chosen = chosen.subList(0, 1 + random.nextInt(6));
    for (Use use : chosen) {
      if (open.containsKey(use)) {
        close(use);
        host.order("unmount " + use);
      } else {
        host.order("mount " + use);
      }
    }
    return chosen.size();
  }

  private void close(Use use) {
    OpenFile file = Objects.requireNonNull(open.remove(use));
    file.close();
    wrong.addAll(file.check());
  }

  /** Some time by chance, in which all workloads write. */
  private void pass() {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONGEST_MILLIS));
    do {
      for (OpenFile file : open.values()) {
        wrong.addAll(file.write());
        writes++;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    } while (System.nanoTime() - end < 0);
  }

  /**
   * Waits until a host that lives has answered all that it was asked. What failed with the plugin
   * that died is made good by the reconciliation.
   */
  private void answers(int asked) {
    List<String> answers = host.answers(asked);
    if (!answers.stream().allMatch(each -> each.matches("(mounted|unmounted|failed) .*"))) {
      wrong.add("Answered " + answers);
    }
  }

  /** Wants these uses and no others until they are there, as a host does. */
  private void reconcile(List<Use> wanted) {
    String answer = host.ask(order(wanted), "reconciled ");
    for (int tries = 0; !answer.endsWith("failed=0"); tries++) {
      if (tries == 20) {
        wrong.add("Reconciled " + answer + " after " + tries + " tries:\n" + host.log());
        return;
      }
      again++;
      pass();
      answer = host.ask(order(wanted), "reconciled ");
    }
    host.awaitRest();
  }

  private static String order(List<Use> wanted) {
    return "reconcile " + String.join(" ", wanted.stream().map(Use::toString).toList());
  }

  private void look(List<Use> wanted) {
    Map<String, Long> mounts = world.mounts();
    for (Use use : uses) {
      if (!wanted.contains(use)) {
        wrong.addAll(world.leftOfUse(use));
        if (WORKLOADS.stream().map(use::by).noneMatch(wanted::contains)) {
          wrong.addAll(world.leftOf(use));
        }
        continue;
      }
      wrong.addAll(world.wrongIfWanted(use));
      Long mount = mounts.get(world.target(use).toString());
      OpenFile file = open.get(use);
      if (file == null && mount != null) {
        String name = "log-" + use.workload();
        open.put(use, OpenFile.in(world.target(use), world.content(use), name, mount));
      } else if (file != null && !Objects.equals(mount, file.mount())) {
        wrong.add(use + " was mounted again under an open file");
      }
    }
    pass();
  }
}
