package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A plugin that fails for all its volumes is not stormed with repeats. */
class SickPluginTest {

  private static final int VOLUMES = 12;
  private static final Fault SICK = Fault.fail(StatusCode.INTERNAL, "the backend is away");

  /** One attempt for each operation, three repeats, and no more for a long time. */
  private static final MountPolicy FEW =
      Node.QUICK.toBuilder().attempts(1).retryBudget(3).retryRefill(Duration.ofHours(1)).build();

  private static Node mounted(MountPolicy policy) {
    Node node = Node.builder().policy(policy).open();
    names().forEach(node::volume);
    names().forEach(name -> node.mount(single(name, "web")));
    return node;
  }

  private static List<String> names() {
    return IntStream.range(0, VOLUMES).mapToObj(i -> "vol-" + i).toList();
  }

  private static int asked(Node node) {
    return node.plugin().journal().calls(NODE_UNPUBLISH_VOLUME).size();
  }

  private static List<String> heldBack(Node node) {
    return node.notices().stream()
        .filter(notice -> notice.code() == OperatorCode.RETRIES_HELD_BACK)
        .map(OperatorMessage::line)
        .toList();
  }

  /** Lets all pauses of the background pass. */
  private static void longAfter(Node node) {
    for (int i = 0; i < 3; i++) {
      node.skip(Duration.ofMinutes(6));
      Node.eventually("nothing more is due", () -> node.time().isIdle());
    }
  }

  @Test
  void whatFailsForAllVolumesIsRepeatedOnlyAsOftenAsTheBudgetAllows() {
    try (Node node = mounted(FEW)) {
      node.plugin().inject(SICK, When.calling(NODE_UNPUBLISH_VOLUME));

      names().forEach(name -> node.unmountFails(usage(name, "web")));
      assertThat(asked(node)).as("the first try of each is not held back").isEqualTo(VOLUMES);
      Node.eventually(
          "more is due than the budget has",
          () -> {
            node.skip(Duration.ofSeconds(2));
            return !heldBack(node).isEmpty();
          });
      longAfter(node);

      assertThat(asked(node)).isEqualTo(VOLUMES + 3);
      assertThat(heldBack(node))
          .singleElement()
          .asString()
          .startsWith("CSI-333 RETRIES_HELD_BACK: looking after plugin 'fake.csi4j.example': ")
          .contains(
              "the budget of 3 repeats is used up; one is added every 60 min, and one for each"
                  + " call that the plugin answers with OK");

      node.skip(Duration.ofHours(1));
      node.inTheEnd("time gives one back", Duration.ofSeconds(2), () -> asked(node) == VOLUMES + 4);
      node.plugin().clearFaults();
      assertThat(node.unmount(usage("vol-0", "web"))).isEqualTo(UnmountOutcome.LAST);
      Node.eventually("its success lets the others go", node::isClean);
      assertThat(heldBack(node)).hasSize(1);
    }
  }

  @Test
  void withoutABudgetNothingIsHeldBack() {
    try (Node node = mounted(FEW.toBuilder().retryBudget(0).build())) {
      node.plugin().inject(SICK, When.calling(NODE_UNPUBLISH_VOLUME));
      names().forEach(name -> node.unmountFails(usage(name, "web")));

      longAfter(node);

      assertThat(asked(node)).isGreaterThanOrEqualTo(3 * VOLUMES);
      assertThat(heldBack(node)).isEmpty();
      node.plugin().clearFaults();
      node.becomesClean();
    }
  }

  @Test
  void anAttemptForWhichACallerWaitsGoesBeforeTheBackground() {
    MountPolicy one = FEW.toBuilder().attempts(2).retryBudget(1).build();
    try (Node node = Node.builder().policy(one).open()) {
      for (String name : List.of("vol-0", "vol-1", "vol-2")) {
        node.volume(name);
      }
      node.mount(single("vol-0", "web"));
      node.plugin().inject(SICK, When.calling(NODE_UNPUBLISH_VOLUME));
      node.unmountFails(usage("vol-0", "web"));
      node.skip(Duration.ofSeconds(2));
      Node.eventually("the cleanup waits", () -> heldBack(node).size() == 1);

      node.plugin().inject(SICK, When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().mount(single("vol-1", "web"));
      Node.eventually(
          "the first attempt has failed",
          () -> node.calls(VolumeId.of("vol-1")).size() == 1 && node.time().isIdle());
      assertThat(first).isNotDone();

      // What another volume gets well gives its token to the caller, although the cleanup came
      // first.
      node.plugin().clearFaults();
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME));
      CompletableFuture<MountedVolume> other = node.engine().mount(single("vol-2", "web"));
      Node.eventually(
          "the caller goes on",
          () -> node.verbs(VolumeId.of("vol-1")).equals(List.of("Stage", "Stage", "Publish")));

      node.plugin().clearFaults();
      node.plugin().release();
      node.get(first);
      node.get(other);
      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-2", "web"));
      node.becomesClean();
    }
  }

  @Test
  void anAttemptThatIsHeldBackIsLeftWhenTheUseIsGivenUp() {
    MountPolicy one = FEW.toBuilder().attempts(5).retryBudget(1).build();
    try (Node node = Node.builder().policy(one).open()) {
      node.volume("vol-1");
      node.plugin().inject(SICK, When.calling(NODE_STAGE_VOLUME));
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      Node.eventually("the third attempt is held back", () -> !heldBack(node).isEmpty());
      Node.eventually(
          "it is said why nothing happens, and not when it will",
          () ->
              node.engine().explain("web", usage("vol-1", "web")::equals).lines().stream()
                  .anyMatch(
                      line ->
                          line.contains(
                                  ": waiting, because the retry budget of its plugin is used up"
                                      + " (CSI-333), for ")
                              && line.endsWith(", attempt 2 of 5")));

      UnmountOutcome released = node.unmount(usage("vol-1", "web"));

      assertThat(released).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.fails(mounting).code()).isEqualTo(OperatorCode.SUPERSEDED);
      assertThat(node.verbs(VolumeId.of("vol-1")))
          .startsWith("Stage", "Stage")
          .doesNotContain("Publish");
      assertThat(node.isClean()).isTrue();
    }
  }
}
