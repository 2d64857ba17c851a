package io.csi4j.client.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.scripted.Samples;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A volume is placed where the snapshot that it is made from can be used. */
class CreateVolumeFromSnapshotTest {

  private static final SnapshotId ID = SnapshotId.of("snap-1");
  private static final Topology A = Topology.of(Map.of("zone", "a"));
  private static final Topology B = Topology.of(Map.of("zone", "b"));

  private static CreateVolumeRequest.Builder request() {
    return CreateVolumeRequest.builder(
        "name", List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)));
  }

  @Test
  void theRequirementIsNarrowedToThePlacesOfTheSnapshot() {
    CreateVolumeRequest made =
        request()
            .accessibilityRequirements(new TopologyRequirement(Set.of(A, B), List.of(A, B)))
            .fromSnapshot(Samples.snapshot(ID, List.of(B)))
            .build();
    assertThat(made.contentSource()).contains(VolumeContentSource.of(ID));
    assertThat(made.accessibilityRequirements())
        .contains(new TopologyRequirement(Set.of(B), List.of(B)));
  }

  @Test
  void aWishThatCannotBeMetIsRefusedWithBothTopologies() {
    CreateVolumeRequest.Builder elsewhere =
        request()
            .fromSnapshot(Samples.snapshot(ID, List.of(B)))
            .accessibilityRequirements(TopologyRequirement.anyOf(List.of(A)));
    assertThatIllegalArgumentException()
        .isThrownBy(elsewhere::build)
        .withMessageContaining("snap-1")
        .withMessageContaining("the snapshot is accessible from [{zone=b}]")
        .withMessageContaining("the volume must be accessible from [{zone=a}]")
        .withMessageEndingWith("Request a place of the snapshot, or use another source.");
  }

  @Test
  void withoutAWishThePluginPlacesTheVolume() {
    assertThat(
            request()
                .fromSnapshot(Samples.snapshot(ID, List.of(B)))
                .build()
                .accessibilityRequirements())
        .isEmpty();
  }

  @Test
  void aSnapshotThatCanBeUsedFromEverywhereNarrowsNothing() {
    TopologyRequirement wish = TopologyRequirement.anyOf(List.of(A));
    assertThat(
            request()
                .fromSnapshot(Samples.snapshot(ID, List.of()))
                .accessibilityRequirements(wish)
                .build()
                .accessibilityRequirements())
        .contains(wish);
  }

  @Test
  void aSnapshotAndAnotherSourceAreRefusedInEitherOrder() {
    VolumeContentSource clone = VolumeContentSource.of(VolumeId.of("vol-1"));
    Snapshot snapshot = Samples.snapshot(ID, List.of(B));

    for (CreateVolumeRequest.Builder both :
        List.of(
            request().fromSnapshot(snapshot).contentSource(clone),
            request().contentSource(clone).fromSnapshot(snapshot))) {
      assertThatIllegalArgumentException()
          .isThrownBy(both::build)
          .withMessage(
              "The volume cannot be created from both "
                  + clone
                  + " and "
                  + VolumeContentSource.of(snapshot.id())
                  + ". Set one of them.");
    }
    assertThat(
            request()
                .contentSource(VolumeContentSource.of(snapshot.id()))
                .fromSnapshot(snapshot)
                .build()
                .contentSource())
        .contains(VolumeContentSource.of(snapshot.id()));
  }
}
