package io.csi4j.client.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Places that are asked for, and those where a thing can be. */
class TopologyRequirementTest {

  private static final Topology A = zone("a");
  private static final Topology B = zone("b");
  private static final Topology C = zone("c");

  private static Topology zone(String name) {
    return Topology.of(Map.of("zone", name));
  }

  @Test
  void everywhereChangesNothing() {
    TopologyRequirement wish = new TopologyRequirement(Set.of(A, B), List.of(B));
    assertThat(wish.within(List.of())).contains(wish);
  }

  @Test
  void placesThatAreOutOfReachAreLeftOutAndTheOrderIsKept() {
    TopologyRequirement wish = new TopologyRequirement(Set.of(A, B, C), List.of(C, A, B));
    assertThat(wish.within(List.of(B, C)))
        .contains(new TopologyRequirement(Set.of(B, C), List.of(C, B)));
  }

  @Test
  void aWishForOtherPlacesCannotBeMet() {
    assertThat(TopologyRequirement.anyOf(List.of(A)).within(List.of(B, C))).isEmpty();
  }

  @Test
  void aPreferenceAloneIsNoDemand() {
    TopologyRequirement preference = new TopologyRequirement(Set.of(), List.of(A, B));
    assertThat(preference.within(List.of(C)))
        .contains(new TopologyRequirement(Set.of(C), List.of()));
    assertThat(preference.within(List.of(C, B)))
        .contains(new TopologyRequirement(Set.of(B, C), List.of(B)));
  }

  @Test
  void labelsOfBothSidesHaveToHold() {
    Topology region = Topology.of(Map.of("region", "r"));
    Topology both = Topology.of(Map.of("region", "r", "zone", "a"));
    assertThat(TopologyRequirement.anyOf(List.of(region)).within(List.of(both)))
        .contains(TopologyRequirement.anyOf(List.of(both)));
    assertThat(TopologyRequirement.anyOf(List.of(both)).within(List.of(region)))
        .contains(TopologyRequirement.anyOf(List.of(both)));
    assertThat(TopologyRequirement.anyOf(List.of(region)).within(List.of(A)))
        .contains(TopologyRequirement.anyOf(List.of(both)));
    assertThat(region.within(Topology.of(Map.of("Region", "r")))).contains(region);
    assertThat(region.within(Topology.of(Map.of("REGION", "s")))).isEmpty();
  }
}
