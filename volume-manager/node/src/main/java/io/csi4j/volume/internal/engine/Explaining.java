package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Phase;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.VolumeStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Collects what is to be said of volumes.
 *
 * @param leaving which uses of a volume are over, while it is being given back
 * @param status says of what is on record how far the volume is
 * @param now the time
 */
record Explaining(
    Function<VolumeActor, List<UsageKey>> leaving,
    Function<VolumeActor, Optional<VolumeStatus>> status,
    long now) {

  /** What there is to say of the volumes with such a use, be it on record or asked for. */
  Explanation of(String subject, List<VolumeActor> actors, Predicate<UsageKey> about) {
    return Explanations.of(
        subject,
        actors.stream()
            .filter(
                actor ->
                    uses(actor.view()).anyMatch(about)
                        || leaving.apply(actor).stream().anyMatch(about))
            .map(actor -> known(actor, actor.view()))
            .toList());
  }

  private static Stream<UsageKey> uses(View view) {
    return Stream.concat(
        view.record().stream().flatMap(record -> record.targets().keySet().stream()),
        view.activity().stream()
            .flatMap(
                activity ->
                    Stream.concat(
                        activity.operation().usage().stream(), activity.waiting().stream())));
  }

  private Explanations.Known known(VolumeActor actor, View view) {
    return new Explanations.Known(
        actor.identity(),
        status.apply(actor),
        view.activity().map(this::activity),
        view.trouble(),
        view.troubled().stream()
            .mapToObj(since -> Duration.ofNanos(Math.max(0, now - since)))
            .findFirst());
  }

  private Activity activity(View.Activity activity) {
    return new Activity(
        activity.operation().kind(),
        activity.operation().usage(),
        phrase(activity.phase()),
        Duration.ofNanos(now - activity.since()),
        activity.tries(),
        activity.answer(),
        activity.pause(),
        activity.waiting());
  }

  private static String phrase(Phase phase) {
    return switch (phase) {
      case LOOK_FIRST, LOOK_GOING -> "looking at what is mounted";
      case SAVE_INTENT, SAVE_STAGED, SAVE_RESTAGE, SAVE_PUBLISHED, SAVE_GOING, SAVE_RELEASED ->
          "remembering how far it is";
      case PREPARE_VOLUME, PREPARE_USE -> "making directories";
      case CONFIRM_THERE, CONFIRM_STAGE, CONFIRM_PUBLISH -> "asking whether its claim is current";
      case STAGE -> "waiting for the plugin to stage it";
      case LOOK_STAGED -> "looking whether it is staged";
      case PUBLISH -> "waiting for the plugin to publish it";
      case LOOK_AGAIN -> "looking whether it is still staged";
      case LOOK_PUBLISHED -> "looking whether it is published";
      case UNPUBLISH -> "waiting for the plugin to unpublish it";
      case LOOK_UNPUBLISHED, LOOK_FORGOTTEN_USE, LOOK_REFUSED_USE ->
          "looking whether it is unpublished";
      case LOOK_AT_USES, LOOK_AT_OTHERS -> "looking for whom it is mounted";
      case UNSTAGE -> "waiting for the plugin to unstage it";
      case LOOK_UNSTAGED, LOOK_FORGOTTEN_STAGING -> "looking whether it is unstaged";
      case FORCE_USE, FORCE_STAGING -> "unmounting it without the plugin";
      case REMOVE_USE, REMOVE_VOLUME -> "removing directories";
      case FORGET -> "forgetting it";
      case ENDED -> "beginning";
    };
  }
}
