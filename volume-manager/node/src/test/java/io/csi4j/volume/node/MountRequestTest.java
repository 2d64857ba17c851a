package io.csi4j.volume.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class MountRequestTest {

  private static final MountOptions OF_VOLUME =
      MountOptions.none()
          .withFsType("ext4")
          .withFlags(MountFlags.of("noatime", "password=hush"))
          .withVolumeMountGroup("10");

  private static MountRequest.Builder builder() {
    return MountRequest.builder(
        PluginId.of("plugin"),
        VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("task")),
        VolumeId.of("vol-1"),
        AccessMode.SINGLE_NODE_WRITER);
  }

  private static MountRequest with(UnaryOperator<MountRequest.Builder> change) {
    return change.apply(builder()).build();
  }

  @Test
  void whatIsNotStatedIsLeftOpen() {
    MountRequest plain = builder().build();

    assertThat(plain.plugin()).isEqualTo(PluginId.of("plugin"));
    assertThat(plain.usage()).hasToString("default/db by task");
    assertThat(plain.handle()).isEqualTo(VolumeId.of("vol-1"));
    assertThat(plain.capability())
        .isEqualTo(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, MountOptions.none()));
    assertThat(plain.readOnly()).isFalse();
    assertThat(plain.volumeContext()).isEqualTo(VolumeContext.empty());
    assertThat(plain.publishContext()).isEqualTo(PublishContext.empty());
    assertThat(plain.secrets().secretsFor(io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME))
        .isEqualTo(Secrets.empty());
  }

  @Test
  void optionsOfTheRequestReplaceThoseOfTheVolumePartByPart() {
    MountRequest request =
        with(
            each ->
                each.volumeOptions(OF_VOLUME)
                    .requestOptions(MountOptions.none().withFsType("xfs")));

    assertThat(request.capability().mountOptions()).contains(OF_VOLUME.withFsType("xfs"));
  }

  @Test
  void flagsAreReplacedAsAWholeAndAnEmptyListMeansNone() {
    MountRequest one =
        with(
            each ->
                each.volumeOptions(OF_VOLUME)
                    .requestOptions(MountOptions.none().withFlags(MountFlags.of("sync"))));
    MountRequest none =
        with(
            each ->
                each.volumeOptions(OF_VOLUME)
                    .requestOptions(MountOptions.none().withFlags(MountFlags.of())));

    assertThat(one.capability().mountOptions().orElseThrow().flags())
        .contains(MountFlags.of("sync"));
    assertThat(none.capability().mountOptions().orElseThrow().flags()).contains(MountFlags.of());
  }

  @Test
  void aBlockDeviceHasNoMountOptions() {
    assertThat(with(each -> each.block(true)).capability())
        .isEqualTo(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER));
    for (UnaryOperator<MountRequest.Builder> options :
        List.<UnaryOperator<MountRequest.Builder>>of(
            each -> each.volumeOptions(OF_VOLUME), each -> each.requestOptions(OF_VOLUME))) {
      assertThatThrownBy(() -> options.apply(builder().block(true)).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("default/db by task requests a block device")
          .hasMessageNotContaining("hush");
    }
  }

  @Test
  void anAccessModeThatTheSpecDoesNotHaveIsRefused() {
    for (AccessMode mode : AccessMode.values()) {
      if (!mode.isStated()) {
        assertThatThrownBy(
                () ->
                    MountRequest.builder(
                        PluginId.of("plugin"),
                        VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("task")),
                        VolumeId.of("vol-1"),
                        mode))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(mode.toString());
      }
    }
  }

  @Test
  void requestsCompareByAllThatTheyWant() {
    List<UnaryOperator<MountRequest.Builder>> differences =
        List.of(
            UnaryOperator.identity(),
            each -> each.block(true),
            each -> each.readOnly(true),
            each -> each.volumeOptions(OF_VOLUME),
            each -> each.requestOptions(MountOptions.none().withFsType("ext4")),
            each -> each.volumeContext(VolumeContext.of(Map.of("a", "b"))),
            each -> each.publishContext(PublishContext.of(Map.of("a", "b"))),
            each -> each.claim(grant(7)),
            each -> each.claim(grant(8)));
    for (int i = 0; i < differences.size(); i++) {
      for (int j = 0; j < differences.size(); j++) {
        MountRequest one = with(differences.get(i));
        MountRequest other = with(differences.get(j));
        assertThat(one.equals(other)).as("%d and %d", i, j).isEqualTo(i == j);
        assertThat(i != j || one.hashCode() == other.hashCode()).isTrue();
      }
    }
    assertThat(builder().build())
        .isNotEqualTo(
            MountRequest.builder(
                    PluginId.of("plugin"),
                    VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("other")),
                    VolumeId.of("vol-1"),
                    AccessMode.SINGLE_NODE_WRITER)
                .build());
  }

  private static ClaimGrant grant(long epoch) {
    return grant(epoch, Optional.empty());
  }

  private static ClaimGrant grant(long epoch, Optional<VolumeCapability> capability) {
    return new ClaimGrant(
        builder().build().usage(),
        NodeName.of("n1"),
        epoch,
        ClaimMode.WRITE,
        PublishContext.of(Map.of("device", "/dev/sdb")),
        capability,
        false);
  }

  @Test
  void aClaimHasAnEpochOfOneAtLeast() {
    assertThat(builder().build().claim()).isEmpty();
    assertThat(with(each -> each.claim(grant(7))).claim()).contains(grant(7));
    assertThat(with(each -> each.claim(grant(7))).toString()).endsWith(", claimed with epoch 7]");
    assertThatThrownBy(() -> grant(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The epoch of a claim is at least 1, not 0.");
  }

  @Test
  void aClaimHasTheOnlyPublishContext() {
    MountRequest.Builder claimed = builder().claim(grant(7));
    PublishContext own = claimed.build().publishContext();

    assertThat(own).isEqualTo(grant(7).context());
    assertThat(claimed.publishContext(own).build()).isEqualTo(builder().claim(grant(7)).build());
    assertThatThrownBy(claimed.publishContext(PublishContext.of(Map.of("a", "b")))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("default/db by task has another publish context than its claim");
  }

  @Test
  void optionsOfTheVolumeGiveWayToTheClaimAndThoseOfTheRequestHaveToBeInIt() {
    MountOptions claimed = MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("sync"));
    MountRequest.Builder request =
        builder()
            .volumeOptions(OF_VOLUME)
            .claim(
                grant(
                    7,
                    Optional.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, claimed))));

    assertThat(request.build().capability().mountOptions()).contains(claimed);
    assertThat(request.requestOptions(MountOptions.none().withFsType("xfs")).build().capability())
        .isEqualTo(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, claimed));
    assertThatThrownBy(request.requestOptions(MountOptions.none().withFsType("ext4"))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mount options belong in the claim");
  }

  @Test
  void whereTheSecretsComeFromDoesNotCount() {
    MountRequest with =
        with(each -> each.secrets(SecretsProvider.always(Secrets.of(Map.of("key", "hush")))));

    assertThat(with).isEqualTo(builder().build()).hasSameHashCodeAs(builder().build());
  }

  @Test
  void whatIsSecretIsNotShown() {
    MountRequest request =
        with(
            each ->
                each.volumeOptions(OF_VOLUME)
                    .readOnly(true)
                    .volumeContext(VolumeContext.of(Map.of("key", "hush")))
                    .publishContext(PublishContext.of(Map.of("key", "hush")))
                    .secrets(SecretsProvider.always(Secrets.of(Map.of("key", "hush")))));

    assertThat(request.toString())
        .doesNotContain("hush")
        .contains("default/db by task", "vol-1", "plugin", "ext4", "read-only");
  }
}
