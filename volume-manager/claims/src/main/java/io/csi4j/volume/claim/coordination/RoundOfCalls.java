package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The storage system during one round over all claims. A plugin that left some calls of the round
 * without an answer is called for no other volume before the next round, so that it does not hold
 * up the claims of other plugins. For one thread.
 */
final class RoundOfCalls implements StorageController {

  /** The number of calls that one plugin may leave without an answer in one round. */
  private static final int MOST_UNANSWERED = 2;

  private final StorageController storage;
  private final Map<PluginId, Integer> unanswered = new HashMap<>();
  private final Set<VolumeKey> volumes = new LinkedHashSet<>();
  private final Set<VolumeKey> left = new LinkedHashSet<>();

  RoundOfCalls(StorageController storage) {
    this.storage = storage;
  }

  @Override
  public Optional<PluginId> plugin(VolumeKey volume) {
    return storage.plugin(volume);
  }

  @Override
  public ControllerAnswer attach(AttachmentTask task, Guard guard) {
    return storage.attach(task, guard);
  }

  @Override
  public ControllerAnswer detach(AttachmentTask task, Guard guard) {
    Optional<PluginId> plugin = plugin(task.volume());
    if (plugin.filter(it -> unanswered.getOrDefault(it, 0) >= MOST_UNANSWERED).isPresent()) {
      left.add(task.volume());
      return new ControllerAnswer.Failed(
          StatusCode.UNAVAILABLE,
          Outcome.SETTLED,
          new Clause(
              "plugin '"
                  + plugin.get()
                  + "' left "
                  + MOST_UNANSWERED
                  + " other calls without an answer, and is called again in the next round"),
          Optional.empty());
    }
    ControllerAnswer answer = storage.detach(task, guard);
    if (answer instanceof ControllerAnswer.Failed failed && isUnanswered(failed.code())) {
      plugin.ifPresent(it -> unanswered.merge(it, 1, Integer::sum));
      volumes.add(task.volume());
    }
    return answer;
  }

  private static boolean isUnanswered(StatusCode code) {
    return code == StatusCode.DEADLINE_EXCEEDED || code == StatusCode.UNAVAILABLE;
  }

  /**
   * Returns the volumes whose calls come last in the next round, in their order: a volume for which
   * the plugin never answers keeps no other one waiting for ever.
   *
   * @param before the volumes whose calls came last in this round
   */
  List<VolumeKey> last(List<VolumeKey> before) {
    List<VolumeKey> last = new ArrayList<>(before);
    last.retainAll(left);
    last.removeAll(volumes);
    last.addAll(volumes);
    return last;
  }
}
