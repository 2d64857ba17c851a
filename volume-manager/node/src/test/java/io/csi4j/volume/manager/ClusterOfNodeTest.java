package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The cluster in the state of a node. */
class ClusterOfNodeTest {

  private static final String BLUE = "abcdefghijk27";
  private static final String RED = "zyxwvutsrqp27";

  /** Written once, and read for ever: the format, and the identity. */
  private static final String GOLDEN = "0801120d6162636465666768696a6b3237";

  private final MemoryMedium medium = MemoryMedium.create();

  private static NodeOrders orders(String... cluster) {
    return new NodeOrders(
        NodeName.of("a"),
        1,
        List.of(cluster).stream().findFirst(),
        List.of(),
        List.of(),
        List.of(),
        true);
  }

  private static void isRefused(OperatorCode code, String seen, Runnable check) {
    VolumeException refused = catchThrowableOfType(VolumeException.class, check::run);
    assertThat(refused.code()).isEqualTo(code);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.HELD);
    assertThat(refused.operatorMessage().seen().text()).isEqualTo(seen);
  }

  @Test
  void theFirstOrdersWithAnIdentityDecideForAsLongAsTheStateLasts() {
    try (StateStore state = medium.open()) {
      ClusterOfNode node = new ClusterOfNode(state);
      node.check(orders());
      assertThat(node.identity()).isEmpty();
      node.check(orders(BLUE));
      node.check(orders(BLUE));
      assertThat(node.identity()).contains(BLUE);
      isRefused(
          OperatorCode.CONTROL_PLANE_OTHER,
          "this node belongs to cluster '"
              + BLUE
              + "', and the orders are of cluster '"
              + RED
              + "'",
          () -> node.check(orders(RED)));
    }
    try (StateStore state = medium.open()) {
      ClusterOfNode node = new ClusterOfNode(state);
      assertThat(node.identity()).contains(BLUE);
      isRefused(
          OperatorCode.CONTROL_PLANE_OTHER,
          "this node belongs to cluster '"
              + BLUE
              + "', and the orders are of a cluster without an identity; ClusterSetup.create "
              + "restores a lost one",
          () -> node.check(orders()));
      node.check(orders(BLUE));
    }
  }

  @Test
  void theBytesOfTheFirstVersionAreReadForEver() {
    assertThat(HexFormat.of().formatHex(ClusterOfNode.bytes(BLUE).bytes())).isEqualTo(GOLDEN);
    assertThat(identity(HexFormat.of().parseHex(GOLDEN))).contains(BLUE);
  }

  @Test
  void aFieldOfANewerVersionIsPassedOverAndANewerFormatIsNot() {
    assertThat(identity(new FieldWriter().number(1, 1).text(2, RED).text(3, "new").bytes()))
        .contains(RED);
    isRefused(
        OperatorCode.RECORD_UNREADABLE,
        StateKey.cluster() + ": It has format 2, and this version reads format 1",
        () -> identity(new FieldWriter().number(1, 2).text(2, RED).bytes()));
    isRefused(
        OperatorCode.RECORD_UNREADABLE,
        StateKey.cluster() + ": It names no cluster",
        () -> identity(new FieldWriter().number(1, 1).bytes()));
  }

  private Optional<String> identity(byte[] bytes) {
    try (StateStore state = medium.open()) {
      state.put(StateKey.cluster(), StateValue.of(bytes), Durability.REQUIRED);
      return new ClusterOfNode(state).identity();
    }
  }
}
