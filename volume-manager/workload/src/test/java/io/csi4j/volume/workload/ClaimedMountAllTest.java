package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountedVolume;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** All volumes of a workload, or none, each under a claim; and what only a claim decides. */
class ClaimedMountAllTest extends MountAllTest {

  private static final AccessMode ALONE = AccessMode.SINGLE_NODE_SINGLE_WRITER;
  private static final SelinuxLabel LABEL =
      SelinuxLabel.of("system_u:object_r:container_file_t:s0:c1,c2");

  /** A host claims with the group of the files where the plugin takes it. */
  @Override
  WorkloadVolumes build(WorkloadVolumes.Builder builder) {
    WorkloadVolumes wanted = builder.build();
    boolean takesGroup = fake.shape().offers(NodeCapability.VOLUME_MOUNT_GROUP);
    return wanted.claimed(
        wanted.mountRequests().stream()
            .filter(request -> !request.isInline())
            .map(
                request ->
                    grant(
                        request.usage(),
                        ClaimMode.WRITE,
                        request
                            .groupIfOffered()
                            .filter(group -> takesGroup)
                            .map(ClaimedMountAllTest::grouped)
                            .map(
                                group ->
                                    VolumeCapability.mount(
                                        request.capability().accessMode(),
                                        request
                                            .capability()
                                            .mountOptions()
                                            .orElseThrow()
                                            .overlaidWith(group)))
                            .orElseGet(request::capability)))
            .toList());
  }

  private static MountOptions grouped(String group) {
    return MountOptions.none().withVolumeMountGroup(group);
  }

  private static VolumeRequest.Builder request() {
    return VolumeRequest.builder("a", VolumeRequest.Type.CSI, "a")
        .accessMode(ALONE)
        .attachment(AttachmentMode.FILESYSTEM);
  }

  private static ClaimGrant grant(VolumeCapability capability) {
    return grant(use("a"), ClaimMode.WRITE, capability);
  }

  private static WorkloadVolumes wanted(VolumeRequest request) {
    return builder().volume(request).build();
  }

  /** The capability in each call that mounts. */
  private List<VolumeCapability> told() {
    return List.of(CsiOperation.NODE_STAGE_VOLUME, CsiOperation.NODE_PUBLISH_VOLUME).stream()
        .flatMap(operation -> fake.journal().lastCapability(operation).stream())
        .toList();
  }

  @Test
  void theNodeIsToldWhatTheControllerWasTold() {
    VolumeCapability claimed =
        VolumeCapability.mount(
            ALONE,
            MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("noatime", "nodev")));
    WorkloadVolumes wanted =
        wanted(request().mountOptions(MountOptions.none().withFsType("xfs")).build())
            .claimed(List.of(grant(claimed)));
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      assertThat(Preflight.of(manager).check(wanted).obstacles()).isEmpty();
      assertThat(wanted.mountAll(manager)).hasSize(1);

      assertThat(told()).containsExactly(claimed, claimed);
      manager.unmount(use("a"));
    }
    fake.assertLawful();
  }

  @Test
  void theModeThatTheControllerKnowsIsTheModeOfTheNode() {
    VolumeCapability claimed = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
    ResolvedVolume.Csi volume =
        Wishes.csi(
            CatalogVolume.builder(
                use("a").volume(),
                VolumeSpec.builder(PLUGIN).use(ALONE, AttachmentMode.FILESYSTEM).build(),
                VolumeId.of("vol-a")));
    WorkloadVolumes wanted =
        WorkloadVolumes.builder(WORKLOAD, (asked, source) -> Optional.of(volume))
            .volume(request().build())
            .build()
            .claimed(List.of(grant(claimed)));
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      assertThat(wanted.mountAll(manager)).hasSize(1);

      assertThat(told()).containsExactly(claimed, claimed);
      manager.unmount(use("a"));
    }
    fake.assertLawful();
  }

  /** The controller was told of no group: csi4j changes the owners, and the plugin does not. */
  @Test
  void aGroupThatTheClaimDoesNotHaveIsNotGivenToThePlugin() {
    VolumeRequest owned = request().ownership(FileOwnership.ofGroup(2000)).build();
    try (VolumeManager manager = manager(Duration.ofMinutes(1))) {
      isNotSetByAPass(
          manager, wanted(owned).claimed(List.of(grant(VolumeCapability.mount(ALONE)))));

      assertThat(groups()).containsOnly("");
    }
  }

  @Test
  void aLabelOfTheRequestGoesToThePluginOnlyIfTheClaimHasIt() {
    MountOptions labelled = LABEL.addedTo(MountOptions.none());
    for (MountOptions options : List.of(MountOptions.none(), labelled)) {
      VolumeCapability claimed = VolumeCapability.mount(ALONE, options);
      WorkloadVolumes wanted =
          wanted(request().selinuxLabel(LABEL).build()).claimed(List.of(grant(claimed)));
      try (VolumeManager manager = labelling()) {
        MountedVolume.Filesystem mounted =
            (MountedVolume.Filesystem) wanted.mountAll(manager).get(0);

        assertThat(told()).containsExactly(claimed, claimed);
        assertThat(mounted.selinuxLabel())
            .isEqualTo(options.equals(labelled) ? Optional.of(LABEL) : Optional.empty());
        manager.unmount(use("a"));
      }
    }
    fake.assertLawful();
  }

  @Test
  void aClaimWithoutTheFlagsOfTheHostIsRefusedByTheirNames() {
    WorkloadVolumes wanted =
        wanted(request().build())
            .claimed(
                List.of(
                    grant(
                        VolumeCapability.mount(
                            ALONE, MountOptions.none().withFlags(MountFlags.of("nodev"))))));
    try (VolumeManager manager =
        manager(ManagerSettings.builder().mountFlags(MountFlagPolicy.forTenants()).build())) {
      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> wanted.mountAll(manager));

      assertThat(refused.code()).isEqualTo(OperatorCode.MOUNT_FLAG_REFUSED);
      assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
      assertThat(refused).hasMessageContaining("it was claimed without nosuid");
      assertThat(told()).isEmpty();
    }
  }

  @Test
  void aClaimToReadIsNotMountedToWrite() {
    ClaimGrant toRead =
        grant(
            use("a"), ClaimMode.READ, VolumeCapability.mount(AccessMode.MULTI_NODE_SINGLE_WRITER));
    VolumeRequest.Builder writing = request().accessMode(AccessMode.MULTI_NODE_SINGLE_WRITER);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> wanted(writing.build()).claimed(List.of(toRead)))
        .withMessage(
            "The request for default/a by web-1 wants to write, but its claim is"
                + " for READ. Claim the volume for WRITE, or request it read-only.");
    assertThat(
            wanted(writing.readOnly(true).build())
                .claimed(List.of(toRead))
                .mountRequests()
                .get(0)
                .readOnly())
        .isTrue();
  }
}
