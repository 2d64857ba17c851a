package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of a host to {@link VolumeManager} while a plugin hangs. */
class VolumeManagerTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-7f3");
  private static final VolumeKey KEY = VolumeKey.of("db-1");
  private static final VolumeUse WEB_1 = VolumeUse.of(KEY, WorkloadId.of("web-1"));
  private static final VolumeUse WEB_2 = VolumeUse.of(KEY, WorkloadId.of("web-2"));
  private static final When STAGING = When.calling(CsiOperation.NODE_STAGE_VOLUME);

  @TempDir private Path temp;
  private final MemoryMedium medium = MemoryMedium.create();
  private FakeCsiPlugin fake;

  @BeforeEach
  void openPlugin() {
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.addVolume(HANDLE);
  }

  @AfterEach
  void closePlugin() {
    fake.close();
  }

  private VolumeManager manager(VolumeEvent.Listener... listeners) {
    VolumeManager.Builder builder =
        VolumeManager.builder(temp.resolve("root"))
            .state(medium.open())
            .settings(ManagerSettings.builder().closing(Duration.ofMillis(200)).build())
            .plugin(
                PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                    // The plugin makes directories only, so that everybody may run this.
                    .policy(
                        MountPolicy.builder()
                            .requireMount(false)
                            .backoff(Duration.ofMillis(1))
                            .backoffCap(Duration.ofMillis(4))
                            .build())
                    .build());
    for (VolumeEvent.Listener each : listeners) {
      builder.listener(each);
    }
    return builder.open();
  }

  private static MountRequest request(VolumeUse usage) {
    return MountRequest.builder(PLUGIN, usage, HANDLE, AccessMode.MULTI_NODE_MULTI_WRITER).build();
  }

  private void hangs() {
    Eventually.isTrue(
        "the plugin hangs", () -> !fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME).isEmpty());
  }

  private static VolumeException failure(CompletableFuture<?> waiting) throws Exception {
    ExecutionException thrown =
        catchThrowableOfType(ExecutionException.class, () -> waiting.get(60, TimeUnit.SECONDS));
    assertThat(thrown).isNotNull();
    assertThat(thrown.getCause()).isInstanceOf(VolumeException.class);
    return (VolumeException) thrown.getCause();
  }

  @Test
  void withoutATableOfMountsTheManagerDoesNotOpenAndSaysWhatToDo() {
    MemoryKernel kernel = new MemoryKernel();
    kernel.failNext(KernelCall.LIST, new Errno(2));

    VolumeException refused =
        catchThrowableOfType(
            VolumeException.class,
            () ->
                VolumeManager.builder(temp.resolve("root"))
                    .state(medium.open())
                    .mounts(kernel.table(), kernel.mounts())
                    .open());

    assertThat(refused).isNotNull();
    assertThat(refused.code()).isEqualTo(OperatorCode.MOUNT_TABLE_UNREADABLE);
    assertThat(refused.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(refused).hasMessageContaining("Check /proc and the open-file limit");
    assertThat(fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME)).isEmpty();
  }

  @Test
  void aListenerMayCallTheManagerAndWaitForIt() throws Exception {
    AtomicReference<VolumeManager> opened = new AtomicReference<>();
    CompletableFuture<UnmountOutcome> released = new CompletableFuture<>();
    VolumeEvent.Listener calling =
        event -> {
          if (event instanceof VolumeEvent.Ended ended
              && ended.started().operation() == VolumeEvent.Operation.MOUNT) {
            released.complete(opened.get().unmount(WEB_1));
          }
        };
    try (VolumeManager manager = manager(calling)) {
      opened.set(manager);
      manager.mount(request(WEB_1));

      assertThat(released.get(60, TimeUnit.SECONDS)).isEqualTo(UnmountOutcome.LAST);
      assertThat(manager.hasMount(WEB_1)).isFalse();
    }
  }

  @Test
  void aListenerIsToldWhoAsksOnTheThreadThatDoesAndEveryCallOfTheOperation() throws Exception {
    fake.inject(Fault.fail(StatusCode.UNAVAILABLE, "not now"), STAGING.once());
    List<VolumeEvent> told = new CopyOnWriteArrayList<>();
    Map<OperationId, Thread> askers = new ConcurrentHashMap<>();
    VolumeEvent.Listener listener =
        new VolumeEvent.Listener() {
          @Override
          public void on(VolumeEvent event) {
            told.add(event);
          }

          @Override
          public void asked(OperationId operation) {
            askers.put(operation, Thread.currentThread());
            throw new IllegalStateException("never shown");
          }
        };
    try (VolumeManager manager = manager(listener)) {
      manager.mount(request(WEB_1));
      manager.stats(WEB_1);
      manager.unmount(WEB_1);
    }

    assertThat(askers)
        .containsOnly(
            Map.entry(new OperationId(1), Thread.currentThread()),
            Map.entry(new OperationId(2), Thread.currentThread()),
            Map.entry(new OperationId(3), Thread.currentThread()));
    assertThat(told)
        .filteredOn(event -> !(event instanceof VolumeEvent.Noticed))
        .extracting(VolumeManagerTest::phrase)
        .containsExactly(
            "#1 MOUNT begins",
            "#1 NodeStageVolume UNAVAILABLE true",
            "#1 NodeStageVolume OK true",
            "#1 NodePublishVolume OK true",
            "#1 ends",
            "#2 STATS begins",
            "#2 NodeGetVolumeStats OK true",
            "#2 ends",
            "#3 UNMOUNT begins",
            "#3 NodeUnpublishVolume OK true",
            "#3 NodeUnstageVolume OK true",
            "#3 ends");
  }

  private static String phrase(VolumeEvent event) {
    if (event instanceof VolumeEvent.Started started) {
      return started.id() + " " + started.operation() + " begins";
    } else if (event instanceof VolumeEvent.Called called) {
      assertThat(called.plugin()).isEqualTo(PLUGIN);
      assertThat(called.elapsed()).isPositive();
      return String.join(
          " ",
          called.operation().toString(),
          called.call().rpcName(),
          called.code().name(),
          String.valueOf(called.isSent()));
    }
    return ((VolumeEvent.Ended) event).started().id() + " ends";
  }

  @Tag("campaign")
  @Test
  void tenThousandCallsAtOnceAreEachAnsweredAndMostRefused() throws Exception {
    fake.inject(Fault.hang(), STAGING.once());
    try (VolumeManager manager = manager()) {
      List<CompletableFuture<MountedVolume>> calls = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        VolumeUse use = VolumeUse.of(KEY, WorkloadId.of("w" + i));
        calls.add(manager.async().mount(request(use)).toCompletableFuture());
      }
      hangs();
      Eventually.isTrue(
          "all but those that may wait are answered",
          () -> calls.stream().filter(CompletableFuture::isDone).count() >= 10_000 - 65);
      fake.release();
      int mounted = 0;
      for (CompletableFuture<MountedVolume> call : calls) {
        try {
          assertThat(call.get(60, TimeUnit.SECONDS)).isNotNull();
          mounted++;
        } catch (ExecutionException e) {
          assertThat(((VolumeException) e.getCause()).code())
              .isEqualTo(OperatorCode.TOO_MANY_WAITERS);
        }
      }
      assertThat(mounted).isBetween(1, 65);
    }
  }

  @Tag("A24")
  @Test
  void openingTwiceIsAFailureOfThisFamilyWithACode() {
    Path root = temp.resolve("journalled");
    try (VolumeManager first = VolumeManager.open(root)) {
      VolumeException second =
          catchThrowableOfType(VolumeException.class, () -> VolumeManager.open(root));

      assertThat(second).isNotNull();
      assertThat(second.code())
          .as("A24: the second manager is refused")
          .isEqualTo(OperatorCode.STATE_IN_USE);
      assertThat(second.outcome()).isEqualTo(Outcome.REFUSED);
      assertThat(second).hasMessageContaining(first.root().toString());
      assertThat(second.getCause()).isInstanceOf(StateException.class);
      assertThat(first.volumes()).isEmpty();
    }
  }

  @Test
  void aStateThatTheHostClosedUnderItsManagerIsTold() {
    StateStore state = medium.open();
    try (VolumeManager manager =
        VolumeManager.builder(temp.resolve("root"))
            .state(state)
            .plugin(PluginBinding.builder(PLUGIN, fake.nodeEndpoint()).build())
            .open()) {
      state.close();

      VolumeException failure =
          catchThrowableOfType(VolumeException.class, () -> manager.mount(request(WEB_1)));

      assertThat(failure.code()).isEqualTo(OperatorCode.STATE_CLOSED);
      assertThat(failure.outcome()).isEqualTo(Outcome.HELD);
      assertThat(fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME)).isEmpty();
    }
  }

  @Test
  void whatHangsIsExplainedByVolumeAndByWorkload() {
    fake.inject(Fault.fail(StatusCode.ABORTED, "busy"), STAGING.once());
    fake.inject(Fault.hang(), STAGING.from(2));
    try (VolumeManager manager = manager()) {
      CompletableFuture<MountedVolume> first =
          manager.async().mount(request(WEB_1)).toCompletableFuture();
      Eventually.isTrue(
          "the second call hangs",
          () -> fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME).size() == 2);
      CompletableFuture<MountedVolume> second =
          manager.async().mount(request(WEB_2)).toCompletableFuture();
      Eventually.isTrue(
          "the second waits",
          () -> manager.explain(WEB_2.workload()).toString().contains("waiting for it"));
      assertThat(manager.explain(KEY).toString())
          .startsWith("volume default/db-1\n  volume 'vol-7f3' of plugin 'fake.csi4j.example': ")
          .contains("filesystem, perhaps staged, used by 1 workload\n")
          .contains("\n  workload 'web-1' (default/db-1): perhaps published, at /")
          .contains(
              "\n  now: mounting for workload 'web-1' (default/db-1): waiting for the plugin to"
                  + " stage it for ")
          .contains(", attempt 2 of 3\n  last answer: ABORTED: ")
          .contains("busy")
          .endsWith("\n  waiting for it: workload 'web-2' (default/db-1)");
      assertThat(manager.explain(WEB_1.workload()).lines())
          .hasSameSizeAs(manager.explain(WEB_2.workload()).lines())
          .hasSameSizeAs(manager.explain().lines());
      assertThat(manager.explain().toString())
          .startsWith("every volume\n  volume 'vol-7f3' of plugin 'fake.csi4j.example': ");
      assertThat(manager.explain(WorkloadId.of("other")).toString())
          .isEqualTo("workload other\n  this node has no record of it, and does nothing for it");
      fake.clearFaults();
      fake.release();
      assertThat(first.join().usage()).isEqualTo(WEB_1);
      assertThat(second.join().usage()).isEqualTo(WEB_2);
      assertThat(manager.explain(KEY).lines())
          .hasSize(4)
          .endsWith("nothing is being done, and nothing stands in the way");
      assertThat(manager.unmount(WEB_1)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(manager.unmount(WEB_2)).isEqualTo(UnmountOutcome.LAST);
    }
    fake.assertLawful();
  }

  @Test
  void whatThePluginRefusesIsToldWithItsMeaningAndWhatToDo() {
    fake.inject(Fault.fail(StatusCode.PERMISSION_DENIED, "not for\nyou"), STAGING);
    try (VolumeManager manager = manager()) {
      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> manager.mount(request(WEB_1)));
      assertThat(refused.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(refused.getMessage())
          .startsWith(
              "CSI-707 REFUSED_BY_PLUGIN: mounting volume 'vol-7f3' (default/db-1 for workload"
                  + " 'web-1') of plugin 'fake.csi4j.example' at /")
          .contains(" (PERMISSION_DENIED to NodeStageVolume: ")
          .contains("not for\\nyou")
          .contains("); " + OperatorCode.REFUSED_BY_PLUGIN.safe() + ". ")
          .doesNotContain(OperatorCode.REFUSED_BY_PLUGIN.next());
      fake.clearFaults();
    }
  }

  @Test
  @Tag("E5")
  void interruptingACallerEndsItsWaitingAndNothingElse() throws Exception {
    fake.inject(Fault.hang(), STAGING);
    try (VolumeManager manager = manager()) {
      CompletableFuture<MountedVolume> waiting = new CompletableFuture<>();
      CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
      Thread caller =
          new Thread(
              () -> {
                try {
                  waiting.complete(manager.mount(request(WEB_1)));
                } catch (VolumeException e) {
                  waiting.completeExceptionally(e);
                } finally {
                  stillInterrupted.complete(Thread.currentThread().isInterrupted());
                }
              },
              "test-caller");
      caller.start();
      hangs();
      caller.interrupt();
      VolumeException ended = failure(waiting);
      assertThat(ended.outcome()).isEqualTo(Outcome.IN_PROGRESS);
      assertThat(ended.code())
          .as("E5: the wait of the caller ends")
          .isEqualTo(OperatorCode.CANCELLED);
      assertThat(stillInterrupted.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(manager.usage(KEY)).containsExactly(WEB_1.workload());
      fake.clearFaults();
      fake.release();
      assertThat(manager.mount(request(WEB_1)).usage()).isEqualTo(WEB_1);
      assertThat(fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME))
          .as("E5: the operation goes on")
          .hasSize(1);
      assertThat(manager.unmount(WEB_1)).isEqualTo(UnmountOutcome.LAST);
    }
    fake.assertLawful();
  }

  @Test
  @Tag("E7")
  void nomad25472_closingDuringAMountTakesNothingAwayAndTheNextStartKnowsOfIt() throws Exception {
    fake.inject(Fault.hang(), STAGING);
    CompletableFuture<MountedVolume> waiting;
    try (VolumeManager manager = manager()) {
      waiting = manager.async().mount(request(WEB_1)).toCompletableFuture();
      hangs();
    }
    VolumeException ended = failure(waiting);
    assertThat(ended.outcome()).isEqualTo(Outcome.IN_PROGRESS);
    assertThat(ended.code())
        .as("E7: the operation under way is told as that")
        .isEqualTo(OperatorCode.CLOSED_WITH);
    assertThat(fake.journal().operations())
        .as("E7: nothing is unmounted")
        .doesNotContain(CsiOperation.NODE_UNPUBLISH_VOLUME, CsiOperation.NODE_UNSTAGE_VOLUME);
    fake.clearFaults();
    fake.release();
    try (VolumeManager manager = manager()) {
      assertThat(manager.recovered().inDoubt())
          .as("E7: the next start knows of it")
          .containsExactly(WEB_1);
      assertThat(manager.mount(request(WEB_1)).usage()).isEqualTo(WEB_1);
      assertThat(manager.unmount(WEB_1)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  @Tag("F5")
  void aRootThatIsNoDirectoryIsRefusedWithItsPath() throws Exception {
    Path file = Files.createFile(temp.resolve("file"));

    VolumeException refused =
        catchThrowableOfType(VolumeException.class, () -> VolumeManager.open(file));

    assertThat(refused.code())
        .as("F5: a root that may not be used is refused")
        .isEqualTo(OperatorCode.ROOT_NOT_USABLE);
    assertThat(refused).hasMessageContaining(file.toString());
    assertThat(file).isEmptyFile();
  }

  @Test
  @Tag("F12")
  void aRootThatIsTooLongForTheKernelIsRefused() {
    Path root = temp;
    while (root.toString().length() < 3_840) {
      root = root.resolve("d".repeat(200));
    }
    // It fits, and what belongs below it does not.
    Path tooLong = root.resolve("d".repeat(4_089 - root.toString().length()));

    VolumeException refused =
        catchThrowableOfType(VolumeException.class, () -> VolumeManager.open(tooLong));

    assertThat(refused.code())
        .as("F12: a root that leaves no room is refused")
        .isEqualTo(OperatorCode.ROOT_TOO_LONG);
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  @Tag("E8")
  void aClosedManagerRefusesAndDoesNotHang() {
    VolumeManager manager = manager();
    manager.close();
    manager.close();
    for (VolumeException refused :
        List.of(
            catchThrowableOfType(VolumeException.class, () -> manager.mount(request(WEB_1))),
            catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB_1)))) {
      assertThat(refused.outcome()).isEqualTo(Outcome.REFUSED);
      assertThat(refused.code())
          .as("E8: a closed manager refuses")
          .isEqualTo(OperatorCode.ENGINE_CLOSED);
    }
    assertThat(fake.journal().calls(HANDLE)).isEmpty();
  }

  @Test
  void aManagerThatMountedSomethingIsClosedTwiceWithoutHarm() {
    VolumeManager manager = manager();
    manager.mount(request(WEB_1));
    manager.close();
    manager.close();
    assertThat(manager.volumes()).hasSize(1);
  }

  @Test
  void aClosedManagerRefusesEveryRequestListAndProof() {
    VolumeManager manager = manager();
    manager.mount(request(WEB_1));
    manager.close();
    List<WantedUse> live = List.of(new WantedUse.Named(WEB_1));
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("mount", () -> manager.mount(request(WEB_1)));
    calls.put("refresh", () -> manager.refresh(request(WEB_1)));
    calls.put("refresh of no use", () -> manager.refresh(request(WEB_2)));
    calls.put("unmount", () -> manager.unmount(WEB_1));
    calls.put("unmount of no use", () -> manager.unmount(WEB_2));
    calls.put("abandon", () -> manager.abandon(WEB_1, "of a test"));
    calls.put("stats", () -> manager.stats(WEB_1));
    calls.put("stats of no use", () -> manager.stats(WEB_2));
    calls.put("expand of no use", () -> manager.expand(WEB_2, CapacityRange.atLeast(1)));
    calls.put("health", () -> manager.health(WEB_1));
    calls.put("hasMount", () -> manager.hasMount(WEB_1));
    calls.put("refusal", () -> manager.refusal(request(WEB_2)));
    calls.put("mayDetach", () -> manager.mayDetach(PLUGIN, HANDLE));
    calls.put("receipt", () -> manager.receipt(WEB_2, 1));
    calls.put("plan", () -> manager.plan(live));
    calls.put("reconcile", () -> manager.reconcile(live));
    calls.put("reconcile with nothing", () -> manager.reconcile(List.of()));
    calls.put("releaseFound", manager::releaseFound);
    calls.put("keepOnly", () -> manager.keepOnly(live));
    calls.put("drain", () -> manager.drain(PLUGIN, Duration.ofSeconds(1)));
    calls.put("register", () -> manager.register(PluginBinding.of(PLUGIN, fake.nodeEndpoint())));

    calls.forEach(
        (name, call) -> {
          VolumeException refused = catchThrowableOfType(VolumeException.class, call);
          assertThat(refused).as(name).isNotNull();
          assertThat(refused.code()).as(name).isEqualTo(OperatorCode.ENGINE_CLOSED);
          assertThat(refused.outcome()).as(name).isEqualTo(Outcome.REFUSED);
        });
  }

  @Test
  @Tag("F15")
  void aSocketPathThatNoSocketCanHaveIsFoundWhenThePluginIsRegistered() {
    CsiEndpoint tooLong = CsiEndpoint.of(Path.of("/" + "x".repeat(200)));

    try (VolumeManager manager = manager()) {
      assertThat(manager.register(PluginBinding.of(PluginId.of("other"), tooLong)))
          .as("F15: found at the registration")
          .extracting(OperatorMessage::code)
          .containsExactly(OperatorCode.PLUGIN_SOCKET_TOO_LONG);
    }
  }

  @Test
  void aListThatIsBeingBroughtAboutWhenTheManagerIsClosedIsRefusedAsClosed() {
    AtomicReference<Runnable> whenRead = new AtomicReference<>(() -> {});
    StateStore store = medium.open();
    VolumeManager manager =
        VolumeManager.builder(temp.resolve("root"))
            .state(
                (StateStore)
                    Proxy.newProxyInstance(
                        StateStore.class.getClassLoader(),
                        new Class<?>[] {StateStore.class},
                        (proxy, method, arguments) -> {
                          if (method.getName().equals("load")) {
                            whenRead.get().run();
                          }
                          try {
                            return method.invoke(store, arguments);
                          } catch (InvocationTargetException thrown) {
                            throw thrown.getCause();
                          }
                        }))
            .plugin(
                PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .open();
    manager.mount(request(WEB_1));
    whenRead.set(manager::close);

    VolumeException refused =
        catchThrowableOfType(
            VolumeException.class, () -> manager.keepOnly(List.of(new WantedUse.Named(WEB_1))));

    assertThat(refused.code()).isEqualTo(OperatorCode.ENGINE_CLOSED);
    assertThat(refused.outcome()).isEqualTo(Outcome.REFUSED);
  }

  @Test
  @Tag("H18")
  void anotherDirectoryAtThePathOfTheRootIsNotWrittenTo() throws IOException {
    Path root = temp.resolve("root");
    Path away = temp.resolve("away");
    try (VolumeManager manager =
        VolumeManager.builder(root)
            .journal(JournalSettings.builder().acceptAnyFilesystem(true).build())
            .plugin(
                PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .open()) {
      manager.mount(request(WEB_1));
      Files.move(root, away);
      Files.createDirectory(root);

      VolumeException releasing =
          catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB_1));
      VolumeException detaching =
          catchThrowableOfType(VolumeException.class, () -> manager.mayDetach(PLUGIN, HANDLE));

      assertThat(releasing.code())
          .as("H18: another directory is at the path")
          .isEqualTo(OperatorCode.ROOT_MOVED);
      assertThat(detaching.code()).isEqualTo(OperatorCode.ROOT_MOVED);
      assertThat(root).isEmptyDirectory();
      assertThat(fake.journal().calls(CsiOperation.NODE_UNPUBLISH_VOLUME)).isEmpty();

      Files.delete(root);
      Files.move(away, root);
      assertThat(manager.unmount(WEB_1)).isEqualTo(UnmountOutcome.LAST);
      assertThat(manager.mayDetach(PLUGIN, HANDLE)).isTrue();
    }
    fake.assertLawful();
  }

  @Test
  @Tag("F11")
  void aTargetIsNotRemovedBeforeThePluginSaidThatItIsUnpublished() {
    try (VolumeManager manager = manager()) {
      Path target = manager.mount(request(WEB_1)).path();
      assertThat(target).isDirectory();
      fake.inject(
          Fault.fail(StatusCode.INTERNAL, "busy"),
          When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      VolumeException failed =
          catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB_1));
      assertThat(failed.outcome()).isEqualTo(Outcome.IN_PROGRESS);
      assertThat(failed.code())
          .as("F11: the refused unpublish is in doubt")
          .isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(target).isDirectory();
      assertThat(manager.usage(KEY)).containsExactly(WEB_1.workload());
      fake.clearFaults();
      Eventually.isTrue(
          "it is released in the background or now",
          () -> manager.unmount(WEB_1) != UnmountOutcome.NOT_LAST && manager.volumes().isEmpty());
      assertThat(target)
          .as("F11: removed when the plugin has said that it is unpublished")
          .doesNotExist();
    }
    fake.assertLawful();
  }

  @Test
  void aDirectoryThatCannotBeUsedIsToldWithOneAdvice() {
    VolumeException refused =
        catchThrowableOfType(
            VolumeException.class,
            () -> VolumeManager.builder(temp.toAbsolutePath().resolve("none/root")).open());

    assertThat(refused.operatorMessage().code()).isEqualTo(OperatorCode.ROOT_NOT_USABLE);
    assertThat(refused.operatorMessage().line())
        .contains("none' does not exist; nothing was done. Make it, then open again.")
        .doesNotContain("owner");
  }
}
