package io.csi4j.volume.claim.sim;

import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A storage system: what is attached where, and the calls that it has not ended yet. */
final class SimStorage {

  /** A volume at a node. */
  record Place(VolumeKey volume, NodeId node) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int volumes = volume.compareTo(other.volume);
      return volumes != 0 ? volumes : node.value().compareTo(other.node.value());
    }
  }

  /** How it is attached: anew each time. */
  record Made(long generation, boolean readonly) {}

  /** A call that is going on, and what its caller had seen. */
  record Open(AttachmentTask task, boolean attaches, SimStore.Look seen) {}

  final Map<Place, Made> attached = new TreeMap<>();

  /** What was attached when nobody owned it any more, or for what somebody has answered. */
  final Map<Place, Long> late = new TreeMap<>();

  final Map<VolumeKey, Open> open = new TreeMap<>();

  /** The volumes that there are: those made later under the same name are others. */
  final Map<VolumeKey, Long> volumes = new TreeMap<>();

  /** Deletions that are going on, of which volume. */
  final Map<VolumeKey, Long> deleting = new TreeMap<>();

  private long generations;

  static Place place(AttachmentTask task) {
    return new Place(task.volume(), task.nodeId());
  }

  Optional<Made> at(VolumeKey volume, NodeId node) {
    return Optional.ofNullable(attached.get(new Place(volume, node)));
  }

  /** Does it as the spec wants it. */
  ControllerAnswer apply(AttachmentTask task, boolean attaches) {
    if (isBusy(task.volume())) {
      return failed(StatusCode.ABORTED, Outcome.SETTLED);
    }
    return attaches ? attach(task) : detach(task);
  }

  boolean isBusy(VolumeKey volume) {
    return open.containsKey(volume) || deleting.containsKey(volume);
  }

  boolean has(VolumeKey volume, long id) {
    return Optional.ofNullable(volumes.get(volume)).filter(it -> it == id).isPresent();
  }

  /** Deletes a volume; one that is not there is deleted. */
  ControllerAnswer delete(VolumeKey volume, long id) {
    if (isBusy(volume)) {
      return failed(StatusCode.ABORTED, Outcome.SETTLED);
    }
    if (has(volume, id)) {
      if (attached.keySet().stream().anyMatch(it -> it.volume().equals(volume))) {
        return failed(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);
      }
      volumes.remove(volume);
    }
    return new ControllerAnswer.Detached();
  }

  private ControllerAnswer attach(AttachmentTask task) {
    if (!volumes.containsKey(task.volume())) {
      return failed(StatusCode.NOT_FOUND, Outcome.SETTLED);
    }
    Made before = attached.get(place(task));
    late.remove(place(task));
    if (before != null) {
      return before.readonly() == task.readonly()
          ? answer(before)
          : failed(StatusCode.ALREADY_EXISTS, Outcome.SETTLED);
    }
    boolean elsewhere =
        !task.use().mode().isMultiNode()
            && attached.keySet().stream().anyMatch(it -> it.volume().equals(task.volume()));
    if (elsewhere) {
      return failed(StatusCode.FAILED_PRECONDITION, Outcome.SETTLED);
    }
    Made made = new Made(++generations, task.readonly());
    attached.put(place(task), made);
    return answer(made);
  }

  private ControllerAnswer detach(AttachmentTask task) {
    attached.remove(place(task));
    late.remove(place(task));
    return new ControllerAnswer.Detached();
  }

  static ControllerAnswer failed(StatusCode code, Outcome outcome) {
    return new ControllerAnswer.Failed(
        code, outcome, new ReasonText("the storage system says so"), Optional.empty());
  }

  private static ControllerAnswer answer(Made made) {
    return new ControllerAnswer.Attached(
        PublishContext.of(Map.of("generation", Long.toString(made.generation()))));
  }
}
