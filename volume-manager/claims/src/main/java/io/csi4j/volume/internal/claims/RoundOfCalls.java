package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls of one round over the claims of many volumes. If a plugin has left two calls
 * unanswered, it is not called again in the same round, so that it does not delay the volumes of
 * other plugins. Not thread-safe.
 */
public final class RoundOfCalls {

  /** Maximum number of unanswered calls to a plugin in one round. */
  private static final int MOST_UNANSWERED = 2;

  private final Map<PluginId, Integer> unanswered = new HashMap<>();
  private final Set<VolumeKey> volumes = new LinkedHashSet<>();
  private final Set<VolumeKey> left = new LinkedHashSet<>();
  private Function<VolumeKey, Optional<PluginId>> plugins = volume -> Optional.empty();

  /** Returns a storage controller whose calls are part of this round. */
  public StorageController over(StorageController storage) {
    plugins = storage::plugin;
    return new Storage(storage);
  }

  /** Returns the plugin of a volume, if the storage controller knows it. */
  public Optional<PluginId> plugin(VolumeKey volume) {
    return plugins.apply(volume);
  }

  /**
   * Returns why a volume is left for the next round; empty if its plugin may still be called in
   * this round.
   */
  public Optional<ReasonText> whyLeft(VolumeKey volume) {
    Optional<PluginId> silent =
        plugin(volume).filter(it -> unanswered.getOrDefault(it, 0) >= MOST_UNANSWERED);
    if (silent.isPresent()) {
      left.add(volume);
    }
    return silent.map(
        plugin ->
            new ReasonText(
                "plugin '"
                    + plugin
                    + "' left "
                    + MOST_UNANSWERED
                    + " other calls unanswered, and is called again in the next round"));
  }

  /** Records a failed call for a volume. The call counts as unanswered if its code shows this. */
  public void failed(VolumeKey volume, StatusCode code) {
    if (code == StatusCode.DEADLINE_EXCEEDED || code == StatusCode.UNAVAILABLE) {
      plugin(volume).ifPresent(it -> unanswered.merge(it, 1, Integer::sum));
      volumes.add(volume);
    }
  }

  /**
   * Returns the volumes that must be handled last in the next round, in their order. Otherwise, two
   * volumes for which the plugin never answers would prevent the calls for all other volumes of the
   * plugin in every round.
   *
   * @param before the volumes that were handled last in this round
   */
  public List<VolumeKey> last(List<VolumeKey> before) {
    List<VolumeKey> last = new ArrayList<>(before);
    last.retainAll(left);
    last.removeAll(volumes);
    last.addAll(volumes);
    return last;
  }

  /**
   * Returns the elements in the order in which a round handles them.
   *
   * @param volume returns the volume of an element
   * @param last the volumes whose elements are handled last, in this order; all other elements keep
   *     their order
   */
  public static <T> List<T> ordered(
      List<T> things, Function<T, Optional<VolumeKey>> volume, List<VolumeKey> last) {
    Map<VolumeKey, Integer> places = new HashMap<>();
    for (VolumeKey each : last) {
      places.put(each, places.size());
    }
    return things.stream()
        .sorted(
            Comparator.comparingInt(
                thing -> volume.apply(thing).map(each -> places.getOrDefault(each, -1)).orElse(-1)))
        .toList();
  }

  /** A storage controller whose calls are part of the round. */
  private final class Storage implements StorageController {

    private final StorageController storage;

    Storage(StorageController storage) {
      this.storage = storage;
    }

    @Override
    public ControllerAnswer attach(AttachmentTask task, Guard guard) {
      return call(task, () -> storage.attach(task, guard));
    }

    @Override
    public ControllerAnswer detach(AttachmentTask task, Guard guard) {
      return call(task, () -> storage.detach(task, guard));
    }

    @Override
    public ControllerAnswer detachUnclaimed(AttachmentTask task, Guard guard) {
      return call(task, () -> storage.detachUnclaimed(task, guard));
    }

    private ControllerAnswer call(AttachmentTask task, Supplier<ControllerAnswer> call) {
      Optional<ReasonText> why = whyLeft(task.volume());
      if (why.isPresent()) {
        return new ControllerAnswer.Failed(
            StatusCode.UNAVAILABLE, Outcome.SETTLED, why.get(), Optional.empty());
      }
      ControllerAnswer answer = call.get();
      if (answer instanceof ControllerAnswer.Failed failed) {
        RoundOfCalls.this.failed(task.volume(), failed.code());
      }
      return answer;
    }

    @Override
    public boolean attaches(VolumeKey volume) {
      return storage.attaches(volume);
    }

    @Override
    public Optional<Refused> whyNot(ClaimRequest request) {
      return storage.whyNot(request);
    }

    @Override
    public Optional<MountOptions> options(ClaimRequest request) {
      return storage.options(request);
    }

    @Override
    public AccessMode knownMode(VolumeKey volume, AccessMode mode) {
      return storage.knownMode(volume, mode);
    }

    @Override
    public Optional<PluginId> plugin(VolumeKey volume) {
      return storage.plugin(volume);
    }
  }
}
