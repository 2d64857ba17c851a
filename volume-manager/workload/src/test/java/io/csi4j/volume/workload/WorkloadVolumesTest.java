package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.Wishes.DB;
import static io.csi4j.volume.workload.Wishes.LOGS;
import static io.csi4j.volume.workload.Wishes.VAR_LOG;
import static io.csi4j.volume.workload.Wishes.WEB;
import static io.csi4j.volume.workload.Wishes.WEB_1;
import static io.csi4j.volume.workload.Wishes.at;
import static io.csi4j.volume.workload.Wishes.data;
import static io.csi4j.volume.workload.Wishes.in;
import static io.csi4j.volume.workload.Wishes.logs;
import static io.csi4j.volume.workload.Wishes.workload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.workload.TaskMounts.BindMount;
import io.csi4j.volume.workload.VolumeMount.SelinuxRelabel;
import io.csi4j.volume.workload.WorkloadVolumes.RequestedVolume;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All that a workload wants, and what its tasks are handed. */
class WorkloadVolumesTest {

  private static final VolumeUse USAGE = VolumeUse.of(DB.key(), WEB_1);
  private static final Path TARGET = Path.of("/srv/csi/t");
  private static final PropagationPermission ALL = wish -> true;

  private static MountedVolume filesystem(boolean readOnly) {
    return new MountedVolume.Filesystem(USAGE, TARGET, readOnly);
  }

  private static WorkloadVolumes mounting(VolumeRequest request, VolumeMount... mounts) {
    return workload(DB, VAR_LOG)
        .volume(request)
        .volume(logs().build())
        .task(in("containers"), mounts)
        .build();
  }

  // ---- what is wanted

  @Test
  void everythingThatIsWrongIsToldAtOnce() {
    WorkloadVolumes.Builder wrong =
        WorkloadVolumes.builder(WEB_1, (request, source) -> Optional.of(VAR_LOG))
            .volume(data().build())
            .volume(data().build())
            .volume(
                VolumeRequest.builder("shard", VolumeRequest.Type.HOST, "shard")
                    .perInstance(true)
                    .build())
            .task(in("containers"))
            .task(in("raw"));

    assertThat(catchThrowableOfType(InvalidRequestException.class, wrong::build))
        .hasMessage(
            "The workload 'web-1' is refused: volume 'data' is requested as a csi"
                + " volume, but is not one: correct its type; volume 'data' is requested"
                + " twice: give each volume its own name; volume 'shard' is one for each"
                + " instance, but the number of the instance is missing: give it; task"
                + " 'web' is listed twice: give each task its own name.");
  }

  @Test
  void whatWasClaimedIsMountedWithItsEpochAndWhatAttachingItReturned() {
    PublishContext context = PublishContext.of(Map.of("device", "/dev/sdb"));
    ClaimGrant grant = grant(VolumeUse.of(DB.key(), WEB_1), context);
    WorkloadVolumes wanted =
        workload(DB, VAR_LOG).volume(data().build()).volume(logs().build()).build();

    WorkloadVolumes claimed = wanted.claimed(List.of(grant));

    MountRequest plain = wanted.mountRequests().get(0);
    assertThat(plain.claim()).isEmpty();
    assertThat(claimed.mountRequests()).hasSize(1).doesNotContain(plain);
    MountRequest asked = claimed.mountRequests().get(0);
    assertThat(asked.claim()).contains(grant);
    assertThat(asked.publishContext()).isEqualTo(context);
    assertThat(claimed.volumes()).hasSize(2).contains(wanted.volumes().get(1));
    assertThat(claimed.claimed(List.of()).mountRequests()).containsExactly(asked);
  }

  @Test
  @Tag("D-27")
  void whatWasClaimedIsMountedAsItWasClaimedAndNotOtherwise() {
    WorkloadVolumes wanted = workload(DB).volume(data().build()).build();
    MountRequest plain = wanted.mountRequests().get(0);
    VolumeCapability claimed =
        VolumeCapability.mount(
            plain.capability().accessMode(),
            MountOptions.none().withVolumeMountGroup("1000").overlaidWith(options(plain)));

    assertThat(wanted.claimed(List.of(grant(plain, claimed))).mountRequests().get(0).capability())
        .isEqualTo(claimed);

    WorkloadVolumes other =
        workload(DB)
            .volume(data().mountOptions(MountOptions.none().withFsType("btrfs")).build())
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> other.claimed(List.of(grant(plain, claimed))))
        .withMessageContaining("mount options belong in the claim");
  }

  private static MountOptions options(MountRequest request) {
    return request.capability().mountOptions().orElseThrow();
  }

  private static ClaimGrant grant(MountRequest request, VolumeCapability capability) {
    return new ClaimGrant(
        request.usage(),
        NodeName.of("n1"),
        7,
        ClaimMode.WRITE,
        PublishContext.empty(),
        Optional.of(capability),
        false);
  }

  @Test
  void aClaimOfAnotherWorkloadIsNotTakenForThisOne() {
    WorkloadVolumes wanted = workload(DB).volume(data().build()).build();
    ClaimGrant foreign =
        grant(VolumeUse.of(DB.key(), WorkloadId.of("other")), PublishContext.empty());

    assertThatIllegalArgumentException()
        .isThrownBy(() -> wanted.claimed(List.of(foreign)))
        .withMessageContaining("'web-1' does not request these claimed volumes from a plugin: [")
        .withMessageContaining("other");
  }

  private static ClaimGrant grant(VolumeUse usage, PublishContext context) {
    return new ClaimGrant(usage, NodeName.of("n1"), 7, ClaimMode.WRITE, context);
  }

  @Test
  @Tag("S-51")
  void anInstanceIsGivenItsOwnVolume() {
    List<String> sources = new ArrayList<>();
    WorkloadVolumes wanted =
        WorkloadVolumes.builder(
                WEB_1,
                (request, source) -> {
                  sources.add(source);
                  return Optional.empty();
                })
            .instance(3)
            .volume(data().perInstance(true).build())
            .volume(logs().build())
            .build();

    assertThat(sources).containsExactly("db[3]", "var-log");
    assertThat(wanted.volumes())
        .extracting(RequestedVolume::source)
        .containsExactly("db[3]", "var-log");
    assertThat(Preflight.anywhere().check(wanted).obstacles())
        .extracting(each -> each.seen().text())
        .containsExactly(
            "the host knows no csi volume 'db[3]'", "the host knows no host volume 'var-log'");
  }

  @Test
  void theManagerIsAskedForEachVolumeOfAPluginOnce() {
    WorkloadVolumes wanted =
        workload(DB, VAR_LOG)
            .volume(data().build())
            .volume(logs().build())
            .volume(
                VolumeRequest.builder("again", VolumeRequest.Type.CSI, "db")
                    .accessMode("single-node-writer")
                    .attachment("filesystem")
                    .build())
            .volume(VolumeRequest.builder("gone", VolumeRequest.Type.HOST, "nowhere").build())
            .build();

    assertThat(wanted.mountRequests()).containsExactly(data().build().toMountRequest(DB, WEB_1));
  }

  /** The volume of the others under another name, only to be read. */
  private static VolumeRequest.Builder reading(String accessMode) {
    return VolumeRequest.builder("archive", VolumeRequest.Type.CSI, "db")
        .accessMode(accessMode)
        .attachment("filesystem")
        .readOnly(true);
  }

  @Test
  void aVolumeThatIsWantedToWriteAndToReadIsMountedToWriteAndHandedOverBothWays() {
    for (boolean writesFirst : new boolean[] {true, false}) {
      List<VolumeRequest> requests =
          List.of(
              writesFirst ? data().build() : reading("single-node-writer").build(),
              writesFirst ? reading("single-node-writer").build() : data().build());
      WorkloadVolumes.Builder both = workload(DB);
      requests.forEach(both::volume);
      WorkloadVolumes wanted =
          both.task(
                  in("containers"),
                  at("/data").build(),
                  VolumeMount.builder("archive").destination("/archive").build())
              .build();

      assertThat(wanted.mountRequests()).containsExactly(data().build().toMountRequest(DB, WEB_1));
      assertThat(Preflight.anywhere().permitting(ALL).check(wanted).obstacles()).isEmpty();
      assertThat(
              wanted
                  .mountsFor(WEB, List.of(filesystem(false)), PropagationPermission.nobody())
                  .binds())
          .extracting(BindMount::destination, BindMount::readOnly)
          .containsExactlyInAnyOrder(
              tuple(MountPath.of("/data"), false), tuple(MountPath.of("/archive"), true));
    }
  }

  @Test
  void theGroupOfOneOfTwoEqualRequestsIsOfferedToThePluginInEitherOrder() {
    VolumeRequest plain = data().build();
    VolumeRequest owned =
        VolumeRequest.builder("more", VolumeRequest.Type.CSI, "db")
            .accessMode("single-node-writer")
            .attachment("filesystem")
            .ownership(FileOwnership.ofGroup(2000))
            .build();

    for (List<VolumeRequest> order : List.of(List.of(plain, owned), List.of(owned, plain))) {
      assertThat(workload(DB).volume(order.get(0)).volume(order.get(1)).build().mountRequests())
          .singleElement()
          .extracting(MountRequest::groupIfOffered)
          .isEqualTo(Optional.of("2000"));
    }
  }

  @Test
  void aVolumeThatIsWantedInAnotherWayTooIsAskedForInBoth() {
    WorkloadVolumes wanted =
        workload(DB)
            .volume(data().build())
            .volume(reading("multi-node-multi-writer").build())
            .build();

    assertThat(wanted.mountRequests())
        .as("the manager refuses the second by name")
        .extracting(MountRequest::readOnly)
        .containsExactly(false, true);
  }

  // ---- what is handed over

  @Test
  void whatIsMountedWithALabelIsNotRelabelled() {
    SelinuxLabel label = SelinuxLabel.of("system_u:object_r:container_file_t:s0:c1,c2");
    WorkloadVolumes wanted =
        mounting(
            data().selinuxLabel(label).build(),
            at("/data").relabel("Z").build(),
            VolumeMount.builder("logs").destination("/log").relabel("z").build());
    assertThat(wanted.mountRequests())
        .extracting(MountRequest::selinuxLabel)
        .containsExactly(Optional.of(label));
    MountedVolume labelled = new MountedVolume.Filesystem(USAGE, TARGET, false, Optional.of(label));

    assertThat(relabelled(wanted, labelled))
        .containsExactly(Optional.empty(), Optional.of(SelinuxRelabel.SHARED));
    assertThat(relabelled(wanted, filesystem(false)))
        .as("a plugin that takes no label")
        .containsExactly(Optional.of(SelinuxRelabel.PRIVATE), Optional.of(SelinuxRelabel.SHARED));
  }

  private static List<Optional<SelinuxRelabel>> relabelled(
      WorkloadVolumes wanted, MountedVolume mounted) {
    return wanted.mountsFor(WEB, List.of(mounted), PropagationPermission.nobody()).binds().stream()
        .map(BindMount::relabel)
        .toList();
  }

  @Test
  @Tag("S-49")
  void aTaskIsHandedTheMountsOfItsVolumes() {
    WorkloadVolumes wanted =
        mounting(
            data().build(),
            VolumeMount.builder("logs").destination("/data/log").relabel("z").build(),
            at("/data").propagation("host-to-task").build());

    TaskMounts mounts =
        wanted.mountsFor(WEB, List.of(filesystem(false)), PropagationPermission.nobody());

    assertThat(mounts)
        .isEqualTo(
            new TaskMounts(
                List.of(
                    new BindMount(
                        MountPath.of(TARGET),
                        MountPath.of("/data"),
                        false,
                        Propagation.HOST_TO_CONTAINER,
                        Optional.empty()),
                    new BindMount(
                        MountPath.of("/srv/log"),
                        MountPath.of("/data/log"),
                        false,
                        Propagation.PRIVATE,
                        Optional.of(SelinuxRelabel.SHARED))),
                List.of()));
    BindMount ofTheHost = BindMount.of(MountPath.of("/tasks/web/tmp"), MountPath.of("/tmp"));
    TaskMounts task = TaskMounts.none().with(ofTheHost).with(mounts);
    assertThat(task.with(mounts)).as("after a restore").isEqualTo(task);
    assertThat(task.binds()).hasSize(3);
  }

  @ParameterizedTest
  @Tag("S-49")
  @CsvSource({
    "false, false, false, false",
    "true, false, false, true",
    "false, true, false, true",
    "false, false, true, true"
  })
  void aMountIsReadOnlyIfTheRequestOrTheTaskOrTheVolumeSaysSo(
      boolean request, boolean task, boolean volume, boolean readOnly) {
    VolumeRequest.Builder asked = data().readOnly(request);
    VolumeMount.Builder mount = at("/data").readOnly(task);

    assertThat(
            mounting(asked.build(), mount.build())
                .mountsFor(WEB, List.of(filesystem(volume)), ALL)
                .binds())
        .extracting(BindMount::readOnly)
        .containsExactly(readOnly);
    WorkloadVolumes block = mounting(asked.attachment(AttachmentMode.BLOCK).build(), mount.build());
    TaskMounts devices =
        block.mountsFor(WEB, List.of(new MountedVolume.BlockDevice(USAGE, TARGET, volume)), ALL);
    assertThat(devices.binds()).isEmpty();
    assertThat(devices.devices())
        .containsExactly(
            new TaskMounts.Device(MountPath.of(TARGET), MountPath.of("/data"), readOnly));
  }

  @Test
  @Tag("S-49")
  void aMissingMountIsAnErrorThatNamesTheAliasAndAllAreToldAtOnce() {
    MountedVolume other =
        new MountedVolume.Filesystem(
            VolumeUse.of(VolumeKey.of("db"), io.csi4j.volume.model.WorkloadId.of("web-2")),
            TARGET,
            false);
    WorkloadVolumes wanted =
        workload(DB)
            .volume(data().build())
            .volume(logs().build())
            .task(
                in("containers"),
                at("/data").build(),
                VolumeMount.builder("logs").destination("/log").build(),
                VolumeMount.builder("cache").destination("/cache").build())
            .build();

    VolumeException thrown =
        catchThrowableOfType(
            VolumeException.class, () -> wanted.mountsFor(WEB, List.of(other), ALL));

    assertThat(thrown.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(thrown)
        .hasMessage(
            "CSI-534 MOUNT_MISSING: checking task 'web' of workload 'web-1': it refers to "
                + "'cache', but the workload requests no such volume; the task was not started. "
                + "Mount the"
                + " volume first, or correct the name.");
    assertThat(thrown.getSuppressed())
        .extracting(each -> ((VolumeException) each).code() + " " + seen(each))
        .containsExactly(
            "MOUNT_MISSING volume 'data' is not mounted for it: nothing was handed over for"
                + " default/db",
            "MOUNT_MISSING volume 'logs' is not mounted for it: the host knows no volume"
                + " 'var-log'");
  }

  private static String seen(Throwable thrown) {
    return ((VolumeException) thrown).operatorMessage().seen().text();
  }

  @Test
  @Tag("S-48")
  void whatIsRefusedBeforeIsRefusedWhenItIsHandedOverToo() {
    VolumeMount both = at("/data").propagation("bidirectional").build();
    WorkloadVolumes wanted = mounting(data().build(), both);

    assertThat(wanted.mountsFor(WEB, List.of(filesystem(false)), ALL).binds())
        .extracting(BindMount::propagation)
        .containsExactly(Propagation.BIDIRECTIONAL);
    VolumeException nobody =
        catchThrowableOfType(
            VolumeException.class,
            () ->
                wanted.mountsFor(WEB, List.of(filesystem(false)), PropagationPermission.nobody()));
    assertThat(nobody.code()).isEqualTo(OperatorCode.PROPAGATION_REFUSED);
    VolumeException readOnly =
        catchThrowableOfType(
            VolumeException.class, () -> wanted.mountsFor(WEB, List.of(filesystem(true)), ALL));
    assertThat(readOnly)
        .hasMessage(
            "CSI-532 PROPAGATION_REFUSED: giving volumes to task 'web' of workload 'web-1' at"
                + " /data: propagation 'bidirectional' needs a read-write volume, but"
                + " 'data' is mounted read-only; the task did not get the volume. Use host-to-task"
                + " or private, or get the host's permission for read-write.");
    VolumeException both2 =
        catchThrowableOfType(
            VolumeException.class,
            () ->
                mounting(data().build(), at("/a").build(), at("/a").readOnly(true).build())
                    .mountsFor(WEB, List.of(filesystem(false)), ALL));
    assertThat(both2.code()).isEqualTo(OperatorCode.DESTINATION_CONFLICT);
  }

  @Test
  void aTaskThatIsNotThereIsNoTask() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mounting(data().build()).mountsFor(TaskName.of("job"), List.of(), ALL))
        .withMessage("The workload 'web-1' has no task 'job'.");
    assertThat(mounting(data().build()).volume(LOGS).orElseThrow().host()).contains(VAR_LOG);
  }
}
