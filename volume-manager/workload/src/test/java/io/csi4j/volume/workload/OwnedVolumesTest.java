package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FileOwnership.Policy;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.OwnershipResult.Outcome;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeMounter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A workload that is not root is told of its volumes when it may use their files. */
@MountTest
class OwnedVolumesTest {

  private static final PluginId PLUGIN = PluginId.of("hostpath");
  private static final FileOwnership WISH = FileOwnership.ofGroup(0);

  /** After how many files a pass tells how far it is. */
  private static final int TOLD_EVERY = 10_000;

  private HostPathPlugin plugin;
  private VolumeManager manager;
  private ResolvedVolume.Csi volume;
  private final List<OwnershipResult> told = new CopyOnWriteArrayList<>();

  @BeforeEach
  void open(Scratch scratch) {
    plugin = HostPathPlugin.builder(scratch.file("plugin")).open();
    manager =
        VolumeManager.builder(scratch.file("root"))
            .plugin(PluginBinding.of(PLUGIN, plugin.nodeEndpoint()))
            .open();
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      VolumeSpec spec =
          VolumeSpec.builder(PLUGIN)
              .use(AccessMode.SINGLE_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM)
              .build();
      Volume made =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder("v1", List.copyOf(spec.capabilities())).build());
      volume =
          Wishes.csi(
              CatalogVolume.builder(VolumeKey.of("db"), spec, made.id()).context(made.context()));
    }
  }

  @AfterEach
  void close() {
    manager.close();
    plugin.close();
  }

  private WorkloadVolumes wanted(String workload, Optional<FileOwnership> wish) {
    VolumeRequest.Builder request =
        VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
            .accessMode(AccessMode.SINGLE_NODE_MULTI_WRITER)
            .attachment(AttachmentMode.FILESYSTEM);
    wish.ifPresent(request::ownership);
    return WorkloadVolumes.builder(WorkloadId.of(workload), (asked, source) -> Optional.of(volume))
        .volume(request.build())
        .build();
  }

  private Path mount(String workload, FileOwnership wish) {
    return wanted(workload, Optional.of(wish))
        .mountAll(manager, Mounts.system(), (usage, progress) -> told.add(progress))
        .get(0)
        .path();
  }

  private VolumeException refused(String workload, FileOwnership wish) {
    return catchThrowableOfType(VolumeException.class, () -> mount(workload, wish));
  }

  private void give(String workload) {
    manager.unmount(use(workload));
  }

  private static VolumeUse use(String workload) {
    return VolumeUse.of(VolumeKey.of("db"), WorkloadId.of(workload));
  }

  private static int mode(Path file) throws Exception {
    return (int) Files.getAttribute(file, "unix:mode") & 07777;
  }

  @Test
  void filesAreGivenBeforeTheWorkloadIsToldAndNotTwice() throws Exception {
    Path before = wanted("maker", Optional.empty()).mountAll(manager).get(0).path();
    Files.setAttribute(Files.createFile(before.resolve("file")), "unix:mode", 0600);
    give("maker");

    Path path = mount("web-1", WISH);
    assertThat(mode(path.resolve("file"))).isEqualTo(0660);
    assertThat(mode(path)).isEqualTo(mode(path) | 02770);
    assertThat(told).containsExactly(new OwnershipResult(Outcome.DONE, 2, 2, 0));

    assertThat(mount("web-1", WISH)).isEqualTo(path);
    assertThat(told).last().isEqualTo(new OwnershipResult(Outcome.THERE_ALREADY, 1, 0, 0));
    List<MountedVolume> withoutListener = wanted("web-1", Optional.of(WISH)).mountAll(manager);
    assertThat(withoutListener).singleElement().extracting(MountedVolume::path).isEqualTo(path);
  }

  @Test
  void filesThatOthersUseAreLeftAsTheyAre() throws Exception {
    Path path = wanted("other", Optional.empty()).mountAll(manager).get(0).path();
    Files.setAttribute(path, "unix:mode", 0700);

    VolumeException refused = refused("web-1", WISH);
    assertThat(refused.code()).isEqualTo(OperatorCode.OWNERSHIP_REFUSED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(refused)
        .hasMessage(
            "CSI-539 OWNERSHIP_REFUSED: giving to group 0 the files of volume '"
                + volume.volume().id()
                + "' (default/db for workload 'web-1') of plugin 'hostpath': 'other' uses it, too;"
                + " no file was changed. Wait for their release, or set owners by hand.");
    assertThat(mode(path)).isEqualTo(0700);
    assertThat(told).isEmpty();

    Files.setAttribute(path, "unix:mode", 02770);
    mount("web-1", WISH);
    assertThat(told).containsExactly(new OwnershipResult(Outcome.THERE_ALREADY, 1, 0, 0));
    assertThat(refused("web-2", WISH.toBuilder().policy(Policy.ALWAYS).build()))
        .hasMessageContaining("'other', 'web-1' uses it, too");
  }

  @Test
  void aPassThatEndsAtItsLimitGivesTheVolumeBackAndGoesOnTheNextTime() throws Exception {
    Path before = wanted("maker", Optional.empty()).mountAll(manager).get(0).path();
    for (int i = 0; i < 4; i++) {
      Files.setAttribute(Files.createFile(before.resolve("f" + i)), "unix:mode", 0600);
    }
    give("maker");

    FileOwnership few = WISH.toBuilder().maxFiles(3).build();
    VolumeException notSet = refused("web-1", few);
    assertThat(notSet.code()).isEqualTo(OperatorCode.OWNERSHIP_NOT_SET);
    assertThat(notSet)
        .hasMessageContaining(
            ": the limit of 3 changed files or 600 s was reached after 4 files, of which 3 were"
                + " changed; the workload did not get the volume; changed files stay. Fix the"
                + " named cause, then mount again.");
    mount("web-1", few);
    assertThat(told)
        .containsExactly(
            new OwnershipResult(Outcome.LIMIT, 4, 3, 0),
            new OwnershipResult(Outcome.DONE, 5, 2, 0));
  }

  @Test
  void aListenerThatThrowsEndsTheChangeAndTheVolumeIsGivenBack() {
    IllegalStateException thrown = new IllegalStateException("no space for this line");

    assertThat(
            catchThrowableOfType(
                IllegalStateException.class,
                () ->
                    wanted("web-1", Optional.of(WISH))
                        .mountAll(
                            manager,
                            Mounts.system(),
                            (usage, progress) -> {
                              throw thrown;
                            })))
        .isSameAs(thrown);
    Eventually.isTrue("given back", () -> manager.usage(VolumeKey.of("db")).isEmpty());
  }

  @Test
  void aCallerWhoIsInterruptedKeepsTheVolumeAndTheNextPassGoesOn() throws Exception {
    Path before = wanted("maker", Optional.empty()).mountAll(manager).get(0).path();
    for (int i = 0; i < TOLD_EVERY; i++) {
      Files.createFile(before.resolve("f" + i));
    }
    give("maker");
    Thread caller = Thread.currentThread();
    CountDownLatch ended = new CountDownLatch(1);

    VolumeException waitedFor =
        catchThrowableOfType(
            VolumeException.class,
            () ->
                wanted("web-1", Optional.of(WISH))
                    .mountAll(
                        manager,
                        Mounts.system(),
                        (usage, progress) -> {
                          caller.interrupt();
                          passed(ended);
                        }));
    ended.countDown();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(waitedFor.code()).isEqualTo(OperatorCode.OWNERSHIP_NOT_SET);
    assertThat(waitedFor.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
    assertThat(waitedFor)
        .hasMessageContaining("this thread was interrupted")
        .hasMessageEndingWith("Mount again to continue with the files, or unmount the volume.");
    assertThat(manager.hasMount(use("web-1"))).isTrue();

    mount("web-1", WISH);
    assertThat(told).last().extracting(OwnershipResult::outcome).isEqualTo(Outcome.DONE);
  }

  private static void passed(CountDownLatch gate) {
    try {
      assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void workloadsThatStartTogetherWithOneWishAreBothServed() throws Exception {
    List<Optional<VolumeException>> ends = mountedTogether(WISH, WISH);

    assertThat(ends).containsOnly(Optional.empty());
    assertThat(told)
        .extracting(OwnershipResult::outcome)
        .containsExactlyInAnyOrder(Outcome.DONE, Outcome.THERE_ALREADY);
  }

  @Test
  void workloadsThatStartTogetherWithTwoWishesAreServedInTurn() throws Exception {
    Path before = wanted("maker", Optional.empty()).mountAll(manager).get(0).path();
    Files.setAttribute(before, "unix:mode", 0700);
    give("maker");

    // Neither is there when the other one is. A user namespace may have no user but 0.
    FileOwnership ofUser = FileOwnership.builder().user(0).addPermissions(0, 0007).build();
    List<Optional<VolumeException>> ends = mountedTogether(WISH, ofUser);

    assertThat(ends).containsOnlyOnce(Optional.empty());
    assertThat(ends.stream().flatMap(Optional::stream))
        .singleElement()
        .extracting(VolumeException::code)
        .isEqualTo(OperatorCode.OWNERSHIP_REFUSED);
    assertThat(told).extracting(OwnershipResult::outcome).containsExactly(Outcome.DONE);
  }

  /** Mounts for two workloads, of which both have the volume before either looks at its files. */
  private List<Optional<VolumeException>> mountedTogether(FileOwnership one, FileOwnership other)
      throws Exception {
    CyclicBarrier bothMounted = new CyclicBarrier(2);
    AsyncVolumeMounter async =
        Wishes.inPlaceOf(
            AsyncVolumeMounter.class,
            manager.async(),
            "mount",
            arguments -> {
              MountedVolume mounted = manager.mount((MountRequest) arguments[0]);
              bothMounted.await(20, TimeUnit.SECONDS);
              return CompletableFuture.completedFuture(mounted);
            });
    VolumeMounter meeting =
        Wishes.inPlaceOf(VolumeMounter.class, manager, "async", arguments -> async);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<Optional<VolumeException>> first = threads.submit(() -> end(meeting, "web-1", one));
      Future<Optional<VolumeException>> second = threads.submit(() -> end(meeting, "web-2", other));
      return List.of(first.get(), second.get());
    } finally {
      threads.shutdown();
    }
  }

  private Optional<VolumeException> end(
      VolumeMounter mounter, String workload, FileOwnership wish) {
    try {
      wanted(workload, Optional.of(wish))
          .mountAll(mounter, Mounts.system(), (usage, progress) -> told.add(progress));
      return Optional.empty();
    } catch (VolumeException failed) {
      return Optional.of(failed);
    }
  }
}
