package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A storage system that answers as it was told to, and else does what it is asked. */
public final class ScriptedController implements StorageController {

  /** What it was asked, as in {@code attach db to id-n1}. */
  public final List<String> calls = new ArrayList<>();

  public final TreeSet<String> attached = new TreeSet<>();

  /** The plugins of volumes; of others none is known. */
  public final Map<VolumeKey, PluginId> plugins = new HashMap<>();

  /** Plugins that answer nothing that they are not told to. */
  public final Set<PluginId> silent = new HashSet<>();

  /** Whether its plugins attach volumes; nothing if nobody can say. */
  public Optional<Boolean> attaches = Optional.of(true);

  /** Whether it has the volumes on record: without that it detaches none, and asks no guard. */
  public boolean isOnRecord = true;

  /** Why it has no volume for a claim. */
  public Optional<ClaimDecision.Refused> whyNot = Optional.empty();

  private final Deque<ControllerAnswer> answers = new ArrayDeque<>();
  private Runnable before = () -> {};

  public ScriptedController next(StatusCode code, Outcome outcome) {
    answers.add(
        new ControllerAnswer.Failed(code, outcome, new ReasonText("it says no"), Optional.empty()));
    return this;
  }

  /** Answers the next call by saying that it is attached, and that the node needs this. */
  public ScriptedController next(PublishContext context) {
    answers.add(new ControllerAnswer.Attached(context));
    return this;
  }

  /** Done once, after the guard was asked and before the call is. */
  void meanwhile(Runnable work) {
    before = work;
  }

  @Override
  public boolean attaches(VolumeKey volume) {
    return attaches.orElseThrow(
        () ->
            new ClaimException(
                ChangeOutcome.UNAVAILABLE,
                Messages.of(
                    OperatorCode.PLUGIN_NOT_REGISTERED,
                    Subject.of("claiming volume '" + volume + "'"),
                    "no controller of it is registered"),
                null));
  }

  @Override
  public Optional<ClaimDecision.Refused> whyNot(ClaimRequest request) {
    return whyNot;
  }

  @Override
  public Optional<PluginId> plugin(VolumeKey volume) {
    return Optional.ofNullable(plugins.get(volume));
  }

  @Override
  public ControllerAnswer attach(AttachmentTask task, Guard guard) {
    return call("attach", task, guard);
  }

  @Override
  public ControllerAnswer detach(AttachmentTask task, Guard guard) {
    return isOnRecord
        ? call("detach", task, guard)
        : new ControllerAnswer.Failed(
            StatusCode.INVALID_ARGUMENT,
            Outcome.SETTLED,
            new ReasonText("it is not on record"),
            Optional.empty());
  }

  private synchronized ControllerAnswer call(String what, AttachmentTask task, Guard guard) {
    if (!guard.isWanted()) {
      return new ControllerAnswer.NotSent();
    }
    Runnable meanwhile = before;
    before = () -> {};
    meanwhile.run();
    String place = task.volume().id() + "@" + task.nodeId();
    calls.add(what + " " + place + (task.readonly() ? " readonly" : ""));
    ControllerAnswer told = answers.poll();
    if (told != null) {
      return told;
    }
    if (plugin(task.volume()).filter(silent::contains).isPresent()) {
      return new ControllerAnswer.Failed(
          StatusCode.DEADLINE_EXCEEDED,
          Outcome.UNCERTAIN,
          new ReasonText("it says nothing"),
          Optional.empty());
    }
    if (what.equals("attach")) {
      attached.add(place);
      return new ControllerAnswer.Attached(PublishContext.of(Map.of("device", place)));
    }
    attached.remove(place);
    return new ControllerAnswer.Detached();
  }
}
