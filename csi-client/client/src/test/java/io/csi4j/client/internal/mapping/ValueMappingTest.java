package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCapability.AccessType;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ValueMappingTest {

  private final Random random = new Random(20260101);

  @Test
  void capabilitiesComeBackAsTheyWent() {
    for (int i = 0; i < 2000; i++) {
      VolumeCapability capability = randomCapability();
      assertThat(ValueMapping.fromProto(ValueMapping.toProto(capability))).isEqualTo(capability);
    }
  }

  @Test
  void topologiesComeBackAsTheyWent() {
    for (int i = 0; i < 2000; i++) {
      Map<String, String> segments = new HashMap<>();
      for (int n = random.nextInt(5); n > 0; n--) {
        segments.put(randomText(), randomText());
      }
      Topology back = ValueMapping.fromProto(ValueMapping.toProto(Topology.of(segments)));
      assertThat(back.segments()).isEqualTo(segments);
      assertThat(back).isEqualTo(Topology.of(segments));
    }
  }

  @Test
  void capacityRangesComeBackAsTheyWent() {
    for (int i = 0; i < 2000; i++) {
      long a = 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
      long b = a + random.nextInt(1000);
      long required = a > 0 ? a : Long.MAX_VALUE;
      long limit = b >= required ? b : required;
      CapacityRange range =
          switch (random.nextInt(3)) {
            case 0 -> CapacityRange.atLeast(required);
            case 1 -> CapacityRange.atMost(limit);
            default -> CapacityRange.between(required, limit);
          };
      assertThat(ValueMapping.fromProto(ValueMapping.toProto(range))).contains(range);
    }
  }

  @Test
  void aRangeWithoutBoundsIsNone() {
    assertThat(
            ValueMapping.fromProto(
                io.csi4j.client.internal.proto.CapacityRange.getDefaultInstance()))
        .isEmpty();
    assertThat(ValueMapping.unlessZero(0)).isEqualTo(OptionalLong.empty());
  }

  @ParameterizedTest
  @EnumSource(AccessMode.class)
  void everyModeIsMappedByNameAndUnstatedOnesAreSentAsUnknown(AccessMode mode) {
    var sent = ValueMapping.toProto(VolumeCapability.block(mode)).getAccessMode();
    assertThat(sent.getMode().name()).isEqualTo(mode.isStated() ? mode.name() : "UNKNOWN");
  }

  @Test
  void modesAndTypesThatPluginsDoNotStateAreNamedAsSuch() {
    var proto = io.csi4j.client.internal.proto.VolumeCapability.newBuilder();
    assertThat(ValueMapping.fromProto(proto.build()))
        .isEqualTo(new VolumeCapability(AccessMode.UNSPECIFIED, new AccessType.Unspecified()));
    proto.getAccessModeBuilder().setModeValue(99);
    assertThat(ValueMapping.fromProto(proto.build()).accessMode())
        .isEqualTo(AccessMode.UNRECOGNIZED);
  }

  @Test
  void anEmptyListOfFlagsIsSentAsNone() {
    VolumeCapability none =
        VolumeCapability.mount(
            AccessMode.SINGLE_NODE_WRITER, MountOptions.none().withFlags(MountFlags.of()));
    assertThat(ValueMapping.fromProto(ValueMapping.toProto(none)).mountOptions())
        .contains(MountOptions.none());
  }

  @Test
  void contentSourcesComeBackAsTheyWent() {
    for (VolumeContentSource source :
        List.of(
            VolumeContentSource.of(SnapshotId.of("s")), VolumeContentSource.of(VolumeId.of("v")))) {
      assertThat(ValueMapping.fromProto(ValueMapping.toProto(source))).contains(source);
    }
  }

  @Test
  void requirementsKeepTheOrderOfTheirPlaces() {
    Topology a = Topology.of(Map.of("zone", "a"));
    Topology b = Topology.of(Map.of("zone", "b"));
    var proto =
        ValueMapping.toProto(
            new TopologyRequirement(new LinkedHashSet<>(List.of(a, b)), List.of(b, a)));
    assertThat(proto.getRequisiteList().stream().map(ValueMapping::fromProto))
        .containsExactly(a, b);
    assertThat(proto.getPreferredList().stream().map(ValueMapping::fromProto))
        .containsExactly(b, a);
  }

  private VolumeCapability randomCapability() {
    AccessMode[] modes = AccessMode.values();
    AccessMode mode = modes[random.nextInt(modes.length - 1)];
    if (random.nextInt(4) == 0) {
      return VolumeCapability.block(mode);
    }
    List<String> flags = new ArrayList<>();
    for (int n = random.nextInt(4); n > 0; n--) {
      flags.add(randomText());
    }
    return VolumeCapability.mount(
        mode,
        new MountOptions(
            randomOptional(),
            flags.isEmpty() ? Optional.empty() : Optional.of(MountFlags.of(flags)),
            randomOptional()));
  }

  private Optional<String> randomOptional() {
    return random.nextBoolean() ? Optional.of(randomText()) : Optional.empty();
  }

  private String randomText() {
    StringBuilder out = new StringBuilder();
    for (int n = random.nextInt(12); n > 0; n--) {
      int c = random.nextInt(random.nextBoolean() ? 0x80 : 0x11_0000);
      out.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? 'x' : c);
    }
    return out.toString();
  }
}
