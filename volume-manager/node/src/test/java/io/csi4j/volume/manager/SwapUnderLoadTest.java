package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.MemoryMedium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A plugin is swapped for another instance, again and again, while workloads come and go. Each
 * instance has a socket path of its own, which leads to the plugin as long as that has the same
 * socket.
 */
@Isolated("Counts threads and descriptors.")
class SwapUnderLoadTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final int WORKLOADS = 64;
  private static final int VOLUMES = 16;
  private static final int SWAPS = 20;

  /** So often a workload asks again before it is lost. */
  private static final int BUDGET = 50;

  @TempDir private Path temp;
  private final UsersOfStagings effects = new UsersOfStagings();
  private final AtomicInteger rounds = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final List<String> lost = new CopyOnWriteArrayList<>();
  private final Map<OperatorCode, AtomicInteger> retries = new ConcurrentHashMap<>();

  /** Plain directories, and a witness of what is unstaged while somebody uses it. */
  private static final class UsersOfStagings implements NodeEffects {

    private final NodeEffects files = NodeEffects.files();
    private final Map<VolumeId, Set<PluginPath>> users = new ConcurrentHashMap<>();
    private final List<String> breaches = new CopyOnWriteArrayList<>();

    private Set<PluginPath> users(VolumeId volume) {
      return users.computeIfAbsent(volume, any -> ConcurrentHashMap.newKeySet());
    }

    @Override
    public void stage(VolumeId volume, PluginPath staging) throws IOException {
      files.stage(volume, staging);
    }

    @Override
    public void unstage(VolumeId volume, PluginPath staging) throws IOException {
      if (!users(volume).isEmpty()) {
        breaches.add(volume + " was unstaged under " + users(volume));
      }
      files.unstage(volume, staging);
    }

    @Override
    public void publish(Publication publication) throws IOException {
      users(publication.volume()).add(publication.target());
      files.publish(publication);
    }

    @Override
    public void unpublish(VolumeId volume, PluginPath target) throws IOException {
      files.unpublish(volume, target);
      users(volume).remove(target);
    }
  }

  @Tag("campaign")
  @Test
  void noWorkloadIsLostWhenThePluginIsSwappedUnderIt() throws Exception {
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.nodeOnly())
                .effects(effects)
                .directory(temp.resolve("fake"))
                .open();
        VolumeManager manager =
            VolumeManager.builder(temp.resolve("root"))
                .state(MemoryMedium.create().open())
                .open()) {
      for (int i = 0; i < VOLUMES; i++) {
        fake.addVolume(handle(i));
      }
      PluginHandle serving = register(manager, fake, 0);
      live(manager, 0);
      int threads = threads();
      int descriptors = descriptors();

      List<Thread> workloads = start(manager);
      for (int swap = 1; swap <= SWAPS; swap++) {
        progress();
        serving = swap(manager, fake, serving, swap);
      }
      progress();
      over.set(true);
      for (Thread workload : workloads) {
        workload.join(TimeUnit.SECONDS.toMillis(60));
        assertThat(workload.isAlive()).as(workload.getName()).isFalse();
      }

      assertThat(lost).as("lost after %s retries", retries).isEmpty();
      assertThat(effects.breaches).isEmpty();
      fake.assertLawful();
      assertThat(manager.volumes()).isEmpty();
      assertThat(fake.contents().idle()).as("%s", fake.contents()).isTrue();
      assertThat(manager.plugins().plugins())
          .extracting(known -> known.registration())
          .containsExactly(serving.registration());
      live(manager, 0);
      Eventually.isTrue("the threads are as many as before", () -> threads() <= threads);
      Eventually.isTrue("the descriptors are, too", () -> descriptors() <= descriptors + 2);
    }
  }

  // ---- the plugin

  private PluginHandle swap(VolumeManager manager, FakeCsiPlugin fake, PluginHandle old, int swap)
      throws IOException {
    switch (swap % 4) {
      case 0 -> {
        // The process ends and comes back at once, and is registered as another instance.
        fake.restart();
        PluginHandle next = register(manager, fake, swap);
        old.close();
        return next;
      }
      case 1 -> {
        // Another instance comes beside the one that is there, which goes afterwards.
        PluginHandle next = register(manager, fake, swap);
        progress();
        old.close();
        return next;
      }
      case 2 -> {
        // The process puts new sockets in the place of the old ones: the path leads to nobody.
        fake.replaceSocket();
        link(fake, old.registration().binding().endpoint().path());
        old.report(ready());
        return old;
      }
      default -> {
        // The same instance is started anew at the same path, and registers again.
        fake.stop();
        PluginHandle again = manager.plugins().register(old.registration());
        fake.start();
        link(fake, old.registration().binding().endpoint().path());
        again.report(ready());
        return again;
      }
    }
  }

  private PluginHandle register(VolumeManager manager, FakeCsiPlugin fake, int number)
      throws IOException {
    Path socket = temp.resolve("i" + number + ".sock");
    link(fake, socket);
    PluginHandle handle =
        manager
            .plugins()
            .register(
                new PluginRegistration(
                    PluginBinding.builder(PLUGIN, CsiEndpoint.of(socket))
                        .policy(
                            MountPolicy.builder()
                                .requireMount(false)
                                .backoff(Duration.ofMillis(5))
                                .backoffCap(Duration.ofMillis(50))
                                .quarantine(Duration.ofMillis(100))
                                .build())
                        .build(),
                    InstanceId.of("instance-" + number),
                    Set.of(PluginRole.NODE)));
    handle.report(ready());
    return handle;
  }

  private static PluginHealth ready() {
    return new PluginHealth(
        State.READY, Reason.ANSWERED, new PluginHealth.Text("it is ready"), Instant.EPOCH);
  }

  /** Lets a path lead to the socket that the plugin has now. */
  private static void link(FakeCsiPlugin fake, Path path) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    Files.createLink(fresh, fake.nodeEndpoint().path());
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
  }

  // ---- the workloads

  private static VolumeId handle(int workload) {
    return VolumeId.of("vol-" + workload % VOLUMES);
  }

  private List<Thread> start(VolumeManager manager) {
    List<Thread> workloads = new ArrayList<>();
    for (int i = 0; i < WORKLOADS; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                while (!over.get() && lost.isEmpty()) {
                  live(manager, number);
                }
              },
              "workload-" + number);
      thread.start();
      workloads.add(thread);
    }
    return workloads;
  }

  /** One workload comes, uses its volume, and goes. */
  private void live(VolumeManager manager, int number) {
    VolumeUse usage =
        VolumeUse.of(VolumeKey.of("data-" + number % VOLUMES), WorkloadId.of("w-" + number));
    MountRequest request =
        MountRequest.builder(PLUGIN, usage, handle(number), AccessMode.MULTI_NODE_MULTI_WRITER)
            .build();
    insist(
        usage + " was not mounted",
        () -> {
          Path path = manager.mount(request).path();
          if (!Files.isDirectory(path)) {
            lost.add(usage + " is said to be mounted, and is not there");
          }
        });
    insist(
        usage + " was not released",
        () -> {
          UnmountOutcome release = manager.unmount(usage);
          assertThat(release).isNotNull();
        });
    rounds.incrementAndGet();
  }

  /** Asks again as often as its budget allows, for what can be asked again. */
  private void insist(String what, Runnable work) {
    VolumeException last = null;
    for (int tries = 0; tries < BUDGET; tries++) {
      try {
        work.run();
        return;
      } catch (VolumeException e) {
        last = e;
        retries.computeIfAbsent(e.code(), any -> new AtomicInteger()).incrementAndGet();
        if (e.outcome() == Outcome.HELD) {
          break;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
    lost.add(what + ": " + last);
  }

  /** Waits until the workloads have got on. */
  private void progress() {
    int before = rounds.get();
    Eventually.isTrue(
        "workloads come and go", () -> rounds.get() >= before + WORKLOADS / 4 || !lost.isEmpty());
  }

  // ---- the process

  private static int threads() {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return (int) tasks.filter(task -> name(task).startsWith("csi4j-")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm"));
    } catch (IOException e) {
      return "";
    }
  }

  private static int descriptors() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return (int) files.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
