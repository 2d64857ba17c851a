package io.csi4j.volume.manager;

import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that a node belongs to. The first orders that carry the identity of a cluster decide
 * which cluster this is. The node stores the identity in its state.
 */
final class ClusterOfNode {

  private static final int FORMAT = 1;
  private static final StateKey KEY = StateKey.cluster();

  private final StateStore state;

  /** The identity of the cluster; unset until the first orders with an identity arrive. */
  private final AtomicReference<@Nullable String> known;

  /**
   * Reads the identity from the state.
   *
   * @throws VolumeException {@link OperatorCode#RECORD_UNREADABLE} if the record cannot be read
   */
  ClusterOfNode(StateStore state) {
    this.state = state;
    known =
        new AtomicReference<@Nullable String>(
            state.load().value(KEY).map(ClusterOfNode::read).orElse(null));
  }

  /** Encodes an identity for the state. */
  static StateValue bytes(String identity) {
    return StateValue.of(new FieldWriter().number(1, FORMAT).text(2, identity).bytes());
  }

  /**
   * Decodes the record. The node never rewrites the record, so fields of a newer version can be
   * skipped.
   */
  private static String read(StateValue value) {
    try {
      FieldReader in = FieldReader.passingOverNewer(value.bytes());
      var unused = in.format(FORMAT);
      String identity = in.text(2);
      if (identity.isEmpty()) {
        throw new MalformedRecordException("It names no cluster.");
      }
      return identity;
    } catch (MalformedRecordException e) {
      throw refused(OperatorCode.RECORD_UNREADABLE, KEY + ": " + e.getMessage());
    }
  }

  /** Returns the identity of the cluster, once it is known. */
  Optional<String> identity() {
    return Optional.ofNullable(known.get());
  }

  /**
   * Checks that orders come from the cluster of this node.
   *
   * @throws VolumeException {@link OperatorCode#CONTROL_PLANE_OTHER} if they come from another
   *     cluster
   */
  void check(NodeOrders orders) {
    Optional<String> named = orders.cluster();
    if (named.isPresent() && known.compareAndSet(null, named.get())) {
      note(named.get());
    }
    Optional<String> own = identity();
    if (!own.equals(named)) {
      throw refused(
          OperatorCode.CONTROL_PLANE_OTHER,
          "this node belongs to cluster '"
              + own.orElse("")
              + "', and the orders are of "
              + named
                  .map(other -> "cluster '" + other + "'")
                  .orElse(
                      "a cluster without an identity; ClusterSetup.create restores a lost "
                          + "one"));
    }
  }

  private void note(String identity) {
    boolean isNoted = false;
    try {
      var unused = state.put(KEY, bytes(identity), Durability.REQUIRED);
      isNoted = true;
    } finally {
      if (!isNoted) {
        known.set(null);
      }
    }
  }

  private static VolumeException refused(OperatorCode code, String seen) {
    return new VolumeException(
        VolumeException.Outcome.HELD,
        Messages.of(code, Subject.of("checking which cluster this node belongs to"), seen),
        null,
        null);
  }
}
