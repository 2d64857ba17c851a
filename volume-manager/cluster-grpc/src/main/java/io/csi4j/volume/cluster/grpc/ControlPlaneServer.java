package io.csi4j.volume.cluster.grpc;

import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.NodeWire;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.SentRefusal;
import io.csi4j.volume.wire.Wire;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Serves a control plane to nodes, at a socket file or at a port.
 *
 * <p>At a port both sides show certificates. A node may call only for itself: its name must be a
 * DNS name in its certificate, or the common name of a certificate without other names. A process
 * that may open the socket file may call for any node.
 *
 * <pre>{@code
 * try (Cluster cluster = Cluster.builder(store).plugin(plugin, controller).open();
 *     ControlPlaneServer server =
 *         ControlPlaneServer.open(cluster, ClusterEndpoint.tcp("cp-1.example", 7443), tls)) {
 *   serve(cluster, server.endpoint());
 * }
 * }</pre>
 *
 * <p>Certificates are read again for new connections. Safe for many threads.
 *
 * @since 1.0
 */
public final class ControlPlaneServer implements AutoCloseable {

  private final ControlPlane controlPlane;
  private final LineServer line;

  private ControlPlaneServer(
      ControlPlane controlPlane, ClusterEndpoint endpoint, Optional<TlsSettings> tls)
      throws IOException {
    this.controlPlane = Objects.requireNonNull(controlPlane, "controlPlane");
    line = LineServer.open(endpoint, tls, (names, question) -> answer(names, question).encode());
  }

  /**
   * Listens at a socket file, which only its owner may open. An existing file is replaced.
   *
   * @throws IOException if the socket cannot be made
   * @throws IllegalArgumentException for a port, which needs TLS
   */
  public static ControlPlaneServer open(ControlPlane controlPlane, ClusterEndpoint endpoint)
      throws IOException {
    return new ControlPlaneServer(controlPlane, endpoint, Optional.empty());
  }

  /**
   * Listens at a port.
   *
   * @param tls the certificate of the control plane, and those of the authority that signs for
   *     nodes
   * @throws IOException if the port is not free, or the certificates cannot be read
   * @throws IllegalArgumentException if one of the two certificates is missing
   */
  public static ControlPlaneServer open(
      ControlPlane controlPlane, ClusterEndpoint endpoint, TlsSettings tls) throws IOException {
    return new ControlPlaneServer(controlPlane, endpoint, Optional.of(tls));
  }

  /** Returns its address, with the port that was chosen. */
  public ClusterEndpoint endpoint() {
    return line.endpoint();
  }

  private ClusterMessage answer(Optional<Set<String>> names, byte[] question) {
    try {
      return answer(names, ClusterMessage.decode(question));
    } catch (VolumeException failed) {
      return Wire.refusal(SentRefusal.of(failed));
    } catch (OperatorException failed) {
      // A node repeats its request, which changes nothing.
      return Wire.refusal(SentRefusal.uncertain(failed));
    }
  }

  private ClusterMessage answer(Optional<Set<String>> names, ClusterMessage question) {
    switch (question.kind()) {
      case NODE_REPORT -> {
        NodeReport report = NodeWire.report(question);
        checkNode(names, report.node());
        return NodeWire.orders(controlPlane.exchange(report));
      }
      case STANDING_QUESTION -> {
        ClaimQuestion asked = Wire.standingQuestion(question);
        checkNode(names, asked.claim().node());
        return Wire.standing(controlPlane.standing(asked));
      }
      case VOLUME_QUESTION -> {
        ClaimQuestion asked = Wire.volumeQuestion(question);
        checkNode(names, asked.claim().node());
        return Wire.verdict(controlPlane.verdict(asked));
      }
      default ->
          throw refused(
              OperatorCode.MESSAGE_UNREADABLE,
              "a message of kind " + question.kind() + " is not a request to a control plane");
    }
  }

  private static void checkNode(Optional<Set<String>> names, NodeName node) {
    if (names.isPresent() && !names.get().contains(node.value())) {
      throw refused(
          OperatorCode.CONTROL_PLANE_REFUSES,
          "the caller reports as node '" + node + "', but its certificate names " + names.get());
    }
  }

  private static VolumeException refused(OperatorCode code, String seen) {
    return new VolumeException(
        VolumeException.Outcome.REFUSED,
        Messages.of(code, Subject.of("answering a node"), seen),
        null,
        null);
  }

  /**
   * Stops listening. Requests that are being answered have some seconds to end. The control plane
   * stays open.
   */
  @Override
  public void close() {
    line.close();
  }
}
