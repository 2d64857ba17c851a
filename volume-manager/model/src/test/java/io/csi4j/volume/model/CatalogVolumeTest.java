package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CatalogVolumeTest {

  private static CatalogVolume in(Topology... places) {
    CatalogVolume all = CatalogSamples.volume();
    return all.toBuilder().topologies(List.of(places)).build();
  }

  @Test
  @Tag("D-51")
  void placesAreComparedBothWaysAndInWhateverOrder() {
    CatalogVolume one = in(CatalogSamples.A);
    CatalogVolume two = in(CatalogSamples.A, CatalogSamples.B);
    assertThat(one).isNotEqualTo(two);
    assertThat(two).isNotEqualTo(one);
    assertThat(two).isEqualTo(in(CatalogSamples.B, CatalogSamples.A));
    assertThat(two).isEqualTo(in(CatalogSamples.A, CatalogSamples.B, CatalogSamples.A));
  }

  /** The name is a word of the host, the id one of the plugin: no text stands for either. */
  @Test
  @Tag("D-41")
  void idsAreOfTypesOfTheirOwn() {
    assertThat(
            Arrays.stream(CatalogVolume.Builder.class.getDeclaredFields())
                .filter(part -> part.getType() == String.class)
                .map(Field::getName))
        .as("a version is for people, and no id")
        .containsExactly("providerVersion");
    assertThat(CatalogSamples.volume().key()).isInstanceOf(VolumeKey.class);
    assertThat(CatalogSamples.volume().id()).isEqualTo(VolumeId.of("vol-1"));
    assertThat(CatalogSamples.volume().plugin()).isEqualTo(CatalogSamples.volume().spec().plugin());
  }

  @Test
  @Tag("D-53")
  @Tag("D-57")
  void nothingOfItCanBeChanged() {
    Set<Topology> places = new LinkedHashSet<>(List.of(CatalogSamples.A));
    CatalogVolume all = CatalogSamples.volume();
    CatalogVolume volume = all.toBuilder().topologies(places).build();
    places.add(CatalogSamples.B);
    assertThat(volume.topologies()).containsExactly(CatalogSamples.A);
    assertThatThrownBy(() -> volume.topologies().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> volume.context().reveal().put("k", "v"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  @Tag("D-62")
  void noFlagOfHealthIsStoredWithIt() {
    assertThat(
            Arrays.stream(CatalogVolume.Builder.class.getDeclaredFields())
                .map(Field::getName)
                .filter(name -> name.toLowerCase(Locale.ROOT).contains("health")))
        .isEmpty();
  }

  @Test
  void itsTextShowsNoValueOfItsContext() {
    assertThat(CatalogSamples.volume().toString())
        .contains("vol-1", "shop/db-1", "token")
        .doesNotContain("s3cr3t");
  }

  @Test
  void aWayOfUseIsFoundByModeAndAttachmentWithTheOptionsOfTheVolume() {
    CatalogVolume volume = CatalogSamples.volume();
    assertThat(volume.capability(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.FILESYSTEM))
        .contains(
            VolumeCapability.mount(
                AccessMode.SINGLE_NODE_SINGLE_WRITER,
                MountOptions.none()
                    .withFsType("xfs")
                    .withFlags(MountFlags.of("ro", ""))
                    .withVolumeMountGroup("17")));
    assertThat(volume.capability(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.BLOCK))
        .isEqualTo(Optional.empty());
  }

  @Test
  void grownItKeepsAllElse() {
    CatalogVolume volume = CatalogSamples.volume();
    CatalogVolume grown = volume.grown(OptionalLong.of(18), Optional.of(CapacityRange.atLeast(18)));
    assertThat(grown.capacityBytes()).hasValue(18);
    assertThat(grown.grown(volume.capacityBytes(), volume.pendingOnNode())).isEqualTo(volume);
  }

  @Test
  void whatAsksForNothingIsNoRequestForPlaces() {
    assertThatThrownBy(() -> TopologyRequirement.anyOf(Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs requisite or preferred places");
  }
}
