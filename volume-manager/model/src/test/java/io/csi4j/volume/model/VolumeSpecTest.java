package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeSpecTest {

  private static final PluginId PLUGIN = PluginId.of("p");
  private static final Topology A = Topology.of(Map.of("zone", "a"));
  private static final Topology B = Topology.of(Map.of("zone", "b"));

  private static VolumeSpec.Builder spec() {
    return VolumeSpec.builder(PLUGIN).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
  }

  private static TopologyRequirement anyOf(Topology... places) {
    return TopologyRequirement.anyOf(new LinkedHashSet<>(List.of(places)));
  }

  // ---- what is wrong

  @Test
  @Tag("D-52")
  void allThatIsWrongIsToldAtOnce() {
    VolumeSpec.Builder wrong =
        VolumeSpec.builder(PLUGIN)
            .use(RawValue.of("single-writer"), RawValue.of("tape"))
            .use(AccessMode.UNSPECIFIED, AttachmentMode.BLOCK)
            .mountOptions(MountOptions.none().withFsType("ext4"))
            .fromSnapshot(SnapshotId.of("s"))
            .cloneOf(VolumeId.of("v"))
            .parameters(Map.of("", "x"))
            .mutableParameters(Map.of("k", "x".repeat(5000)));

    assertThat(wrong.violations())
        .extracting(Violation::field, Violation::rule)
        .containsExactly(
            tuple("access_mode", Rule.UNRECOGNIZED),
            tuple("attachment_mode", Rule.UNRECOGNIZED),
            tuple("capabilities[0].access_mode", Rule.REQUIRED),
            tuple("mount_options", Rule.MISMATCH),
            tuple("parameters", Rule.REQUIRED),
            tuple("mutable_parameters", Rule.TOO_LARGE),
            tuple("source", Rule.MISMATCH));
    assertThatThrownBy(wrong::build)
        .isInstanceOfSatisfying(
            InvalidRequestException.class, thrown -> assertThat(thrown.violations()).hasSize(7))
        .hasMessageStartingWith("The volume is refused: access_mode is refused: The access modes")
        .hasMessageContaining("; source is a snapshot and a volume: leave one of them out.");
  }

  @Test
  void aVolumeThatNobodyMayUseIsNone() {
    assertThat(VolumeSpec.builder(PLUGIN).violations())
        .containsExactly(
            new Violation(
                "capabilities", Rule.REQUIRED, "is empty: say how the volume may be used"));
  }

  @ParameterizedTest
  @Tag("D-52")
  @CsvSource({
    "single-node-writer, filesystem, SINGLE_NODE_WRITER, false",
    "single-node-reader-only, file-system, SINGLE_NODE_READER_ONLY, false",
    "multi-node-reader-only, block, MULTI_NODE_READER_ONLY, true",
    "multi-node-single-writer, block-device, MULTI_NODE_SINGLE_WRITER, true",
    "multi-node-multi-writer, filesystem, MULTI_NODE_MULTI_WRITER, false",
    "single-node-single-writer, filesystem, SINGLE_NODE_SINGLE_WRITER, false",
    "single-node-multi-writer, filesystem, SINGLE_NODE_MULTI_WRITER, false"
  })
  void wordsOfAJobDescriptionBecomeModes(
      String mode, String attachment, AccessMode expected, boolean block) {
    VolumeSpec read =
        VolumeSpec.builder(PLUGIN).use(RawValue.of(mode), RawValue.of(attachment)).build();
    assertThat(read.capabilities())
        .containsExactly(
            block ? VolumeCapability.block(expected) : VolumeCapability.mount(expected));
  }

  @ParameterizedTest
  @Tag("D-52")
  @CsvSource({"unspecified, filesystem", "unrecognized, block", "SINGLE_NODE_WRITER, filesystem"})
  void wordsThatAreNoModesAreRefused(String mode, String attachment) {
    assertThat(
            VolumeSpec.builder(PLUGIN).use(RawValue.of(mode), RawValue.of(attachment)).violations())
        .extracting(Violation::field, Violation::rule)
        .containsExactly(tuple("access_mode", Rule.UNRECOGNIZED));
  }

  // ---- values

  @Test
  @Tag("D-51")
  void placesAreComparedBothWaysAndInWhateverOrder() {
    VolumeSpec one = spec().topologies(anyOf(A)).build();
    VolumeSpec two = spec().topologies(anyOf(A, B)).build();
    assertThat(one).isNotEqualTo(two);
    assertThat(two).isNotEqualTo(one);
    assertThat(two).isEqualTo(spec().topologies(anyOf(B, A)).build());
    assertThat(two).hasSameHashCodeAs(spec().topologies(anyOf(B, A)).build());
    assertThat(spec().topologies(new TopologyRequirement(Set.of(A, B), List.of(A, B))).build())
        .isNotEqualTo(
            spec().topologies(new TopologyRequirement(Set.of(A, B), List.of(B, A))).build());
  }

  @Test
  void theOrderOfItsWaysOfUseDoesNotCount() {
    VolumeCapability read = VolumeCapability.mount(AccessMode.MULTI_NODE_READER_ONLY);
    VolumeCapability write = VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);
    assertThat(VolumeSpec.builder(PLUGIN).use(read).use(write).build())
        .isEqualTo(VolumeSpec.builder(PLUGIN).use(write).use(read).build())
        .isNotEqualTo(VolumeSpec.builder(PLUGIN).use(write).build());
  }

  @Test
  @Tag("D-53")
  void whatItWasMadeOfMayChangeLaterAndItDoesNot() {
    Map<String, String> parameters = new HashMap<>(Map.of("type", "ssd"));
    Set<Topology> places = new LinkedHashSet<>(List.of(A));
    VolumeSpec.Builder builder =
        spec().parameters(parameters).topologies(TopologyRequirement.anyOf(places));
    VolumeSpec built = builder.build();

    parameters.put("type", "tape");
    places.add(B);
    builder.use(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER));

    assertThat(built.parameters()).containsExactly(Map.entry("type", "ssd"));
    assertThat(built.topologies().orElseThrow().requisite()).containsExactly(A);
    assertThat(built.capabilities()).hasSize(1);
    assertThatThrownBy(() -> built.parameters().put("k", "v"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> built.capabilities().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> built.topologies().orElseThrow().requisite().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aSourceIsASnapshotOrAVolume() {
    assertThat(spec().build().source()).isEqualTo(Optional.empty());
    assertThat(spec().fromSnapshot(SnapshotId.of("s")).build().source())
        .contains(VolumeContentSource.of(SnapshotId.of("s")));
    assertThat(spec().cloneOf(VolumeId.of("v")).build().source())
        .contains(VolumeContentSource.of(VolumeId.of("v")));
  }

  @Test
  void aVolumeFromASnapshotIsReachableOnlyWhereTheSnapshotCanBeUsed() {
    SnapshotId cut = SnapshotId.of("s");
    assertThat(spec().topologies(anyOf(A, B)).fromSnapshot(cut, List.of(B)).build())
        .isEqualTo(spec().topologies(anyOf(B)).fromSnapshot(cut).build());
    assertThat(spec().fromSnapshot(cut, List.of(B)).build().topologies())
        .isEqualTo(Optional.empty());
    assertThat(spec().topologies(anyOf(A)).fromSnapshot(cut, List.of()).build())
        .isEqualTo(spec().topologies(anyOf(A)).fromSnapshot(cut).build());
  }

  @Test
  void aPlaceWhereTheSnapshotCannotBeUsedIsRefusedWithBothTopologies() {
    VolumeSpec.Builder elsewhere =
        spec().topologies(anyOf(A)).fromSnapshot(SnapshotId.of("s"), List.of(B));
    assertThat(elsewhere.violations())
        .containsExactly(
            new Violation(
                "topologies",
                Rule.MISMATCH,
                "are [{zone=a}], and snapshot 's' can only be used from [{zone=b}]: ask for one of"
                    + " its places, or take another source"));
    assertThatThrownBy(elsewhere::build).isInstanceOf(InvalidRequestException.class);
    assertThat(elsewhere.fromSnapshot(SnapshotId.of("s")).violations()).isEmpty();
  }

  @Test
  void aWayOfUseHasTheMountOptionsOfTheVolumeWhereItSaysNothingElse() {
    VolumeSpec built =
        VolumeSpec.builder(PLUGIN)
            .mountOptions(MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("noatime")))
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
            .use(
                VolumeCapability.mount(
                    AccessMode.MULTI_NODE_READER_ONLY,
                    MountOptions.none().withFlags(MountFlags.of("ro"))))
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
            .build();
    assertThat(built.capabilitiesInFull())
        .containsExactly(
            VolumeCapability.mount(
                AccessMode.SINGLE_NODE_WRITER,
                MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("noatime"))),
            VolumeCapability.mount(
                AccessMode.MULTI_NODE_READER_ONLY,
                MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("ro"))),
            VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER));
  }

  @Test
  void changedParametersTakeTheirPlaceAndTheOthersStay() {
    VolumeSpec before = spec().mutableParameters(Map.of("iops", "1", "tier", "low")).build();
    assertThat(
            before.toBuilder().mutableParameters(Map.of("iops", "2")).build().mutableParameters())
        .containsExactly(Map.entry("iops", "2"), Map.entry("tier", "low"));
    assertThat(before.mutableParameters()).containsEntry("iops", "1");
  }

  @Test
  void itsTextShowsNoValueOfAParameterAndNoFlag() {
    String text =
        spec()
            .capacity(CapacityRange.atLeast(10))
            .parameters(Map.of("password", "s3cr3t"))
            .mutableParameters(Map.of("token", "s3cr3t"))
            .mountOptions(MountOptions.none().withFlags(MountFlags.of("password=s3cr3t")))
            .secrets(SecretsReference.of("prod/db"))
            .fromSnapshot(SnapshotId.of("snap-1"))
            .topologies(anyOf(A))
            .ephemeral(true)
            .build()
            .toString();
    assertThat(text)
        .contains("password", "token", "prod/db", "snap-1", "zone", "at least 10", "ephemeral")
        .doesNotContain("s3cr3t");
  }

  @Test
  void aMapOfJustTheSizeThatTheSpecAllowsIsTaken() {
    Map<String, String> large = new HashMap<>();
    IntStream.range(0, 4).forEach(i -> large.put("key" + i, "x".repeat(1020)));
    assertThat(spec().parameters(large).violations()).isEmpty();
    large.put("k", "");
    assertThat(spec().parameters(large).violations())
        .containsExactly(
            new Violation("parameters", Rule.TOO_LARGE, "has 4097 bytes; the spec allows 4096"));
  }
}
