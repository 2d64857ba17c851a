package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeMounter;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.MemoryMedium;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All volumes of a workload, or none. */
class MountAllTest {

  static final PluginId PLUGIN = PluginId.of("fake");
  static final WorkloadId WORKLOAD = WorkloadId.of("web-1");

  @TempDir private Path temp;
  FakeCsiPlugin fake;

  @BeforeEach
  void open() {
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    Stream.of("vol-a", "vol-b").map(VolumeId::of).forEach(fake::addVolume);
  }

  @AfterEach
  void close() {
    fake.close();
  }

  VolumeManager manager(Duration patience) {
    return manager(
        ManagerSettings.builder().patience(patience).closing(Duration.ofMillis(200)).build());
  }

  VolumeManager manager(ManagerSettings settings) {
    return open(settings, impatient().build());
  }

  /** A manager whose plugin takes labels of SELinux. */
  VolumeManager labelling() {
    return open(ManagerSettings.defaults(), impatient().takesSelinuxLabel(true).build());
  }

  /** The plugin makes directories only, so that everybody may run this. */
  private static MountPolicy.Builder impatient() {
    return MountPolicy.builder()
        .requireMount(false)
        .backoff(Duration.ofMillis(1))
        .backoffCap(Duration.ofMillis(4));
  }

  private VolumeManager open(ManagerSettings settings, MountPolicy policy) {
    return VolumeManager.builder(temp.resolve("root"))
        .state(MemoryMedium.create().open())
        .settings(settings)
        .claims(NodeClaims.of(NodeName.of("n1"), (usage, epoch) -> new ClaimStanding.Current()))
        .plugin(PluginBinding.builder(PLUGIN, fake.nodeEndpoint()).policy(policy).build())
        .open();
  }

  /** The request of the workload, with its claims if its volumes are claimed. */
  WorkloadVolumes build(WorkloadVolumes.Builder builder) {
    return builder.build();
  }

  static ClaimGrant grant(VolumeUse usage, ClaimMode mode, VolumeCapability capability) {
    return new ClaimGrant(
        usage, NodeName.of("n1"), 1, mode, PublishContext.empty(), Optional.of(capability), false);
  }

  /** Wants the volumes of these names; the plugin does not know {@code gone}. */
  private WorkloadVolumes wanted(String... names) {
    return build(builder(names));
  }

  static WorkloadVolumes.Builder builder(String... names) {
    return builder(WORKLOAD, names);
  }

  private static WorkloadVolumes.Builder builder(WorkloadId workload, String... names) {
    WorkloadVolumes.Builder builder =
        WorkloadVolumes.builder(
            workload,
            (request, source) ->
                Optional.<ResolvedVolume>of(
                        Wishes.csi(Wishes.volume(source, PLUGIN, "vol-" + source)))
                    .filter(there -> request.created().isEmpty()));
    for (String name : names) {
      builder.volume(
          VolumeRequest.builder(name, VolumeRequest.Type.CSI, name)
              .accessMode(AccessMode.MULTI_NODE_MULTI_WRITER)
              .attachment(AttachmentMode.FILESYSTEM)
              .build());
    }
    return builder;
  }

  static VolumeUse use(String name) {
    return VolumeUse.of(VolumeKey.of(name), WORKLOAD);
  }

  private static List<String> handles(VolumeManager manager) {
    return manager.volumes().stream().map(VolumeStatus::handle).map(VolumeId::value).toList();
  }

  @Test
  void allAreMountedInTheOrderOfTheRequests() {
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      List<MountedVolume> mounted = wanted("b", "a").mountAll(manager);

      assertThat(mounted).extracting(MountedVolume::usage).containsExactly(use("b"), use("a"));
      assertThat(wanted("b", "a").mountAll(manager)).isEqualTo(mounted);
      assertThat(wanted("b", "a").liveMounts())
          .extracting(WantedUse::usage)
          .containsExactly(use("b"), use("a"));
      fake.assertLawful();
    }
  }

  @Test
  void filesThatThePluginGivesToAGroupAreNotGivenAgain() {
    MountOptions group = MountOptions.none().withVolumeMountGroup("2000");
    VolumeRequest request =
        VolumeRequest.builder("a", VolumeRequest.Type.CSI, "a")
            .accessMode(AccessMode.SINGLE_NODE_WRITER)
            .attachment(AttachmentMode.FILESYSTEM)
            .ownership(FileOwnership.ofGroup(2000))
            .build();
    fake.upgrade(fake.shape().without(NodeCapability.VOLUME_MOUNT_GROUP));
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      isNotSetByAPass(manager, build(builder().volume(request)));
      assertThat(groups()).containsOnly("");
    }

    fake.upgrade(fake.shape().with(NodeCapability.VOLUME_MOUNT_GROUP));
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      fake.journal().clear();
      WorkloadVolumes automatic = build(builder().volume(request));
      List<MountedVolume> mounted = automatic.mountAll(manager);
      assertThat(mounted).extracting(MountedVolume::usage).containsExactly(use("a"));
      assertThat(groups()).containsExactly("2000", "2000");
      assertThat(automatic.mountAll(manager)).as("what is mounted is equal").isEqualTo(mounted);
      manager.reconcile(automatic.liveMounts());
      assertThat(automatic.mountAll(manager)).as("also for its list").isEqualTo(mounted);
      assertThat(Preflight.of(manager).check(automatic).obstacles()).isEmpty();

      WorkloadVolumes stated =
          build(builder().volume(request.toBuilder().mountOptions(group).build()));
      assertThat(stated.mountAll(manager)).as("the same in so many words").isEqualTo(mounted);
      assertThat(groups()).hasSize(2);
      manager.unmount(use("a"));
      fake.assertLawful();
    }
  }

  /** The plugin makes directories only, and a pass goes over a mount: so it shows itself. */
  static void isNotSetByAPass(VolumeManager manager, WorkloadVolumes wanted) {
    VolumeException failed =
        catchThrowableOfType(VolumeException.class, () -> wanted.mountAll(manager));
    assertThat(failed.code()).isEqualTo(OperatorCode.OWNERSHIP_NOT_SET);
    assertThat(failed).hasMessageContaining("nothing is mounted there");
    Eventually.isTrue("given back", () -> manager.volumes().isEmpty());
  }

  /** The group in each call that mounts; empty without one. */
  List<String> groups() {
    return fake.journal().calls().stream()
        .filter(
            call ->
                call.operation() == CsiOperation.NODE_STAGE_VOLUME
                    || call.operation() == CsiOperation.NODE_PUBLISH_VOLUME)
        .map(call -> call.request().message("volume_capability").message("mount"))
        .map(mount -> mount.text("volume_mount_group"))
        .toList();
  }

  @Test
  void aPassThatIsMoreThanAGroupIsNotLeftToThePlugin() {
    FileOwnership group = FileOwnership.ofGroup(2000);
    VolumeRequest.Builder request =
        VolumeRequest.builder("a", VolumeRequest.Type.CSI, "a")
            .accessMode(AccessMode.SINGLE_NODE_WRITER)
            .attachment(AttachmentMode.FILESYSTEM);
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      for (FileOwnership more :
          List.of(
              group.toBuilder().user(1000).build(),
              group.toBuilder().addPermissions(0666, 02777).build(),
              group.toBuilder().policy(FileOwnership.Policy.ALWAYS).build())) {
        isNotSetByAPass(manager, build(builder().volume(request.ownership(more).build())));
      }
      assertThat(groups()).containsOnly("");

      fake.journal().clear();
      FileOwnership limited = group.toBuilder().maxFiles(1).build();
      assertThat(build(builder().volume(request.ownership(limited).build())).mountAll(manager))
          .hasSize(1);
      assertThat(groups()).containsExactly("2000", "2000");
      manager.unmount(use("a"));
      fake.assertLawful();
    }
  }

  @Test
  void filesThatThePluginGaveToTheGroupOfAWorkloadThatStartsAreNotGivenToAnother() {
    VolumeRequest.Builder request =
        VolumeRequest.builder("a", VolumeRequest.Type.CSI, "a")
            .accessMode(AccessMode.SINGLE_NODE_MULTI_WRITER)
            .attachment(AttachmentMode.FILESYSTEM);
    WorkloadVolumes grouped =
        build(builder().volume(request.ownership(FileOwnership.ofGroup(2000)).build()));
    FileOwnership user =
        FileOwnership.builder().user(1000).policy(FileOwnership.Policy.ALWAYS).build();
    WorkloadVolumes other =
        build(builder(WorkloadId.of("web-2")).volume(request.ownership(user).build()));
    List<VolumeException> refused = new ArrayList<>();
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      AtomicReference<VolumeMounter> mounter = new AtomicReference<>(manager);
      AsyncVolumeMounter async =
          Wishes.inPlaceOf(
              AsyncVolumeMounter.class,
              manager.async(),
              "mount",
              arguments -> {
                MountRequest asked = (MountRequest) arguments[0];
                MountedVolume mounted = manager.mount(asked);
                if (asked.usage().equals(use("a"))) {
                  refused.add(
                      catchThrowableOfType(
                          VolumeException.class, () -> other.mountAll(mounter.get())));
                }
                return CompletableFuture.completedFuture(mounted);
              });
      mounter.set(Wishes.inPlaceOf(VolumeMounter.class, manager, "async", arguments -> async));

      assertThat(grouped.mountAll(mounter.get())).hasSize(1);
      assertThat(refused)
          .singleElement()
          .extracting(VolumeException::code)
          .isEqualTo(OperatorCode.OWNERSHIP_REFUSED);
    }
  }

  @Test
  void nothingIsMountedForTasksWhoseRuntimeTakesNone() {
    TaskName web = TaskName.of("web");
    VolumeMount atData = VolumeMount.builder("a").destination("/data").build();
    WorkloadVolumes wanted =
        build(builder("a").task(TaskRuntime.withoutVolumes(web, "exec"), atData));
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      assertThat(catchThrowableOfType(VolumeException.class, () -> wanted.mountAll(manager)))
          .extracting(VolumeException::code, VolumeException::outcome)
          .containsExactly(OperatorCode.RUNTIME_CANNOT_MOUNT, VolumeException.Outcome.REFUSED);
      assertThat(manager.volumes()).isEmpty();

      List<MountedVolume> mounted = wanted("a").mountAll(manager);
      VolumeException refused =
          catchThrowableOfType(
              VolumeException.class,
              () -> wanted.mountsFor(web, mounted, PropagationPermission.nobody()));
      assertThat(refused.code()).isEqualTo(OperatorCode.RUNTIME_CANNOT_MOUNT);
      assertThat(refused).hasMessageContaining("its runtime 'exec' cannot take CSI volumes");
      assertThat(manager.unmount(use("a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nothingIsMountedIfTheHostDoesNotKnowOneOrTwoAreAtOnePlace() {
    WorkloadVolumes unknown =
        WorkloadVolumes.builder(WORKLOAD, (request, source) -> Optional.empty())
            .volume(
                VolumeRequest.builder("a", VolumeRequest.Type.CSI, "a")
                    .accessMode(AccessMode.MULTI_NODE_MULTI_WRITER)
                    .attachment(AttachmentMode.FILESYSTEM)
                    .build())
            .build();
    WorkloadVolumes crowded =
        build(
            builder("a", "b")
                .task(
                    TaskRuntime.of(TaskName.of("web"), "containers"),
                    VolumeMount.builder("a").destination("/data").build(),
                    VolumeMount.builder("b").destination("/data").build()));
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      assertThat(
              catchThrowableOfType(VolumeException.class, () -> unknown.mountAll(manager)).code())
          .isEqualTo(OperatorCode.SOURCE_UNKNOWN);
      assertThat(
              catchThrowableOfType(VolumeException.class, () -> crowded.mountAll(manager)).code())
          .isEqualTo(OperatorCode.DESTINATION_CONFLICT);
      assertThat(manager.volumes()).isEmpty();
    }
  }

  @Test
  void ifOneFailsTheOthersAreGivenBack() {
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      VolumeException failed =
          catchThrowableOfType(
              VolumeException.class, () -> wanted("a", "gone", "b").mountAll(manager));

      assertThat(failed.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failed).hasMessageContaining("volume 'vol-gone'");
      Eventually.isTrue("nothing is left", () -> manager.volumes().isEmpty());
      fake.assertLawful();
    }
  }

  @Test
  void whatWasThereBeforeStaysIfAnotherFails() {
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      MountedVolume before = wanted("a").mountAll(manager).get(0);

      assertThat(
              catchThrowableOfType(
                      VolumeException.class, () -> wanted("a", "b", "gone").mountAll(manager))
                  .code())
          .isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      Eventually.isTrue("what was there is left", () -> handles(manager).equals(List.of("vol-a")));
      assertThat(manager.mount(request("a"))).isEqualTo(before);
    }
  }

  @Test
  void whatWasBeingGivenBackBeforeIsGivenBackAgainIfAnotherFails() throws InterruptedException {
    fake.inject(
        Fault.hang(),
        When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME).ofVolume(VolumeId.of("vol-a")).once());
    List<OperatorCode> failed = new CopyOnWriteArrayList<>();
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      Runnable mounting =
          () ->
              failed.add(
                  catchThrowableOfType(
                          VolumeException.class, () -> wanted("a", "gone").mountAll(manager))
                      .code());
      mounting.run();
      Eventually.isTrue(
          "a is being released", () -> calls(CsiOperation.NODE_UNPUBLISH_VOLUME, "vol-a") == 1);
      Thread again = new Thread(mounting);
      again.start();
      // They are asked for in order, and the first waits for its turn.
      Eventually.isTrue(
          "both are asked for again",
          () -> calls(CsiOperation.NODE_UNSTAGE_VOLUME, "vol-gone") == 2);
      fake.release();
      again.join(Duration.ofSeconds(60).toMillis());

      assertThat(failed)
          .containsExactly(OperatorCode.REFUSED_BY_PLUGIN, OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(calls(CsiOperation.NODE_PUBLISH_VOLUME, "vol-a")).isEqualTo(2);
      Eventually.isTrue("nothing is left", () -> manager.volumes().isEmpty());
      fake.assertLawful();
    }
  }

  private long calls(CsiOperation operation, String volume) {
    return fake.journal().calls(operation).stream()
        .filter(call -> call.volume().filter(VolumeId.of(volume)::equals).isPresent())
        .count();
  }

  private MountRequest request(String name) {
    return wanted(name).mountRequests().get(0);
  }

  @Test
  void whatTakesLongerThanTheCallerWaitsGoesOn() {
    When staging = When.calling(CsiOperation.NODE_STAGE_VOLUME);
    try (VolumeManager impatient = manager(Duration.ofMillis(300))) {
      fake.inject(Fault.hang(), staging);

      VolumeException late =
          catchThrowableOfType(VolumeException.class, () -> wanted("a", "b").mountAll(impatient));

      assertThat(late.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
      // A record, with its users, is written before its call is made; a call made after the release
      // would hang.
      Eventually.isTrue(
          "both calls hang",
          () -> fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME).size() == 2);
      assertThat(handles(impatient)).containsExactly("vol-a", "vol-b");
      assertThat(impatient.usage(VolumeKey.of("a"))).containsExactly(WORKLOAD);
      assertThat(impatient.usage(VolumeKey.of("b"))).containsExactly(WORKLOAD);
      fake.release();
      // Asked for last, it ends last.
      assertThat(impatient.async().mount(request("a")).toCompletableFuture())
          .succeedsWithin(Duration.ofSeconds(60));
      assertThat(fake.journal().calls(CsiOperation.NODE_UNPUBLISH_VOLUME)).isEmpty();
    }
  }

  @Test
  void aVolumeThatHasNotBeenCreatedYetIsNotMountedAndNeitherAreTheOthers() {
    WorkloadVolumes wanted =
        build(
            builder("a")
                .volume(
                    VolumeRequest.builder("scratch", VolumeRequest.Type.CSI, "not-yet")
                        .accessMode(AccessMode.SINGLE_NODE_WRITER)
                        .attachment(AttachmentMode.FILESYSTEM)
                        .created(VolumeSpec.builder(PLUGIN))
                        .build()));
    try (VolumeManager manager = manager(Duration.ofSeconds(30))) {
      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> wanted.mountAll(manager));
      assertThat(refused.code()).isEqualTo(OperatorCode.SOURCE_UNKNOWN);
      assertThat(refused).hasMessageContaining("must be created for the job");
      assertThat(manager.volumes()).isEmpty();
    }
  }

  @Test
  void anInlineVolumeOfAJobIsMadeByItsPluginAndGoesWithItsWorkload() {
    fake.close();
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly().with(Quirk.INLINE_VOLUMES_TAKEN));
    WorkloadVolumes wanted =
        build(
            WorkloadVolumes.builder(
                    WORKLOAD,
                    (request, source) ->
                        Optional.of(
                            ResolvedVolume.inline(
                                use(source), PLUGIN, VolumeContext.of(Map.of("size", "1Gi")))))
                .volume(
                    VolumeRequest.builder("certs", VolumeRequest.Type.CSI, "certs")
                        .accessMode(AccessMode.SINGLE_NODE_WRITER)
                        .attachment(AttachmentMode.FILESYSTEM)
                        .build()));
    try (VolumeManager manager = manager(Duration.ofSeconds(30))) {
      assertThat(Preflight.of(manager).check(wanted).isClear()).isTrue();
      assertThat(wanted.mountAll(manager))
          .extracting(MountedVolume::usage)
          .containsExactly(use("certs"));
      assertThat(fake.contents().volumes())
          .containsExactly(wanted.volumes().get(0).csi().orElseThrow().volume().id());
      assertThat(fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME)).isEmpty();
      assertThat(manager.unmount(use("certs"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(fake.contents().volumes()).isEmpty();
    }
    fake.assertLawful();
  }
}
