package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.RigFact.AtRest;
import io.csi4j.examples.RigFact.Attested;
import io.csi4j.examples.RigFact.Call;
import io.csi4j.examples.RigFact.Deleted;
import io.csi4j.examples.RigFact.Expanded;
import io.csi4j.examples.RigFact.Fenced;
import io.csi4j.examples.RigFact.Followed;
import io.csi4j.examples.RigFact.Found;
import io.csi4j.examples.RigFact.GivingBack;
import io.csi4j.examples.RigFact.Granted;
import io.csi4j.examples.RigFact.Grown;
import io.csi4j.examples.RigFact.Kind;
import io.csi4j.examples.RigFact.NotEnded;
import io.csi4j.examples.RigFact.Size;
import io.csi4j.examples.RigFact.Wrote;
import io.csi4j.examples.RigJudge.Finding;
import io.csi4j.examples.RigJudge.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules by which the rig of the cluster judges: each finds its breach, and only that. */
class RigJudgeTest {

  private static Instant at(int second) {
    return Instant.ofEpochSecond(second);
  }

  /** A call of one second that succeeded. */
  private static Call call(Kind kind, String node, int second) {
    return new Call(kind, "id", node, true, at(second), Optional.of(at(second + 1)), true);
  }

  private static Call publish(String node, int second) {
    return call(Kind.NODE_PUBLISH, node, second);
  }

  private static Call unpublish(String node, int second) {
    return call(Kind.NODE_UNPUBLISH, node, second);
  }

  private static List<Rule> rules(RigFact... facts) {
    return RigJudge.judge(List.of(facts)).stream().map(Finding::rule).toList();
  }

  private static AtRest rest(
      Set<String> wanted, Set<String> stored, List<String> attached, List<String> mounts) {
    return new AtRest(
        wanted, stored, attached, Map.of("n1", mounts), Map.of("n1", List.of()), List.of(), at(9));
  }

  @Test
  void twoWritablePublishesThatOverlapAreFound() {
    assertThat(rules(publish("n1", 1), publish("n2", 3))).containsExactly(Rule.SECOND_WRITER);
    assertThat(rules(publish("n1", 1), publish("n2", 3), unpublish("n1", 5), unpublish("n2", 9)))
        .containsExactly(Rule.SECOND_WRITER);
  }

  @Test
  void aSecondPublishAfterTheFirstEndedIsGood() {
    assertThat(rules(publish("n1", 1), unpublish("n1", 3), publish("n2", 5))).isEmpty();
    assertThat(rules(publish("n1", 1), unpublish("n1", 3), publish("n1", 5))).isEmpty();
  }

  @Test
  void aSecondPublishAfterAFenceIsGoodAndBeforeItIsFound() {
    assertThat(rules(publish("n1", 1), new Fenced("n1", at(3)), publish("n2", 4))).isEmpty();
    assertThat(rules(publish("n1", 1), publish("n2", 3), new Fenced("n1", at(5))))
        .containsExactly(Rule.SECOND_WRITER);
    assertThat(rules(publish("n1", 1), new Fenced("n3", at(3)), publish("n2", 4)))
        .as("the fence of another node")
        .containsExactly(Rule.SECOND_WRITER);
    assertThat(rules(publish("n1", 1), new Fenced("n1", at(3)), publish("n2", 4), publish("n1", 6)))
        .as("the fenced node came back and mounted it again")
        .containsExactly(Rule.SECOND_WRITER);
  }

  @Test
  void aPublishThatIsReadOnlyOrFailedIsNoWriter() {
    Call reader = new Call(Kind.NODE_PUBLISH, "id", "n2", false, at(3), Optional.of(at(4)), true);
    Call failed = new Call(Kind.NODE_PUBLISH, "id", "n2", true, at(3), Optional.of(at(4)), false);
    Call open = new Call(Kind.NODE_PUBLISH, "id", "n2", true, at(3), Optional.empty(), false);

    assertThat(rules(publish("n1", 1), reader, failed, open)).isEmpty();
  }

  @Test
  void anUnpublishThatWasStillOpenMayHaveEndedTheNextPublish() {
    Call open = new Call(Kind.NODE_UNPUBLISH, "id", "n1", false, at(2), Optional.empty(), false);

    assertThat(rules(open, publish("n1", 3), publish("n2", 6))).isEmpty();
  }

  @Test
  void publishesOfTwoVolumesAreApart() {
    Call other = new Call(Kind.NODE_PUBLISH, "other", "n2", true, at(3), Optional.of(at(4)), true);

    assertThat(rules(publish("n1", 1), other)).isEmpty();
  }

  @Test
  void aDetachmentUnderAMountIsFound() {
    Call detach = call(Kind.CONTROLLER_UNPUBLISH, "n1", 4);

    assertThat(rules(publish("n1", 1), detach, unpublish("n1", 6)))
        .containsExactly(Rule.DETACHED_IN_USE);
    assertThat(rules(publish("n1", 1), unpublish("n1", 3), detach)).isEmpty();
    assertThat(rules(publish("n1", 1), new Fenced("n1", at(3)), detach)).isEmpty();
    assertThat(rules(publish("n2", 1), detach)).as("on another node").isEmpty();
  }

  @Test
  void twoGrantsAtATimeAreFound() {
    Granted first = new Granted("v", "w1", "n1", "7", at(1));
    Granted second = new Granted("v", "w2", "n2", "8", at(5));

    assertThat(rules(first, second)).containsExactly(Rule.SECOND_GRANT);
    assertThat(rules(first, new GivingBack("v", "w1", at(3)), second)).isEmpty();
    assertThat(rules(first, new GivingBack("v", "w2", at(3)), second))
        .containsExactly(Rule.SECOND_GRANT);
    assertThat(rules(first, new Attested("n1", at(3), at(4)), second)).isEmpty();
    assertThat(rules(first, new Attested("n2", at(3), at(4)), second))
        .containsExactly(Rule.SECOND_GRANT);
    assertThat(rules(first, new Attested("n1", at(0), at(2)), second))
        .as("granted while the node was attested: the claim may have ended at once")
        .isEmpty();
    assertThat(rules(first, new Granted("v", "w1", "n1", "7", at(2)))).as("asked again").isEmpty();
    GivingBack back = new GivingBack("v", "w1", at(2));
    assertThat(rules(first, back, new Granted("v", "w1", "n1", "7", at(3)), second))
        .as("the claim that is to be given back")
        .isEmpty();
    assertThat(rules(first, back, new Granted("v", "w1", "n1", "9", at(3)), second))
        .as("another claim")
        .containsExactly(Rule.SECOND_GRANT);
  }

  @Test
  void aWriteThatIsGoneIsFoundAndOneThatMayHaveBeenMadeIsNot() {
    Wrote one = new Wrote("v", 1, true, at(1));
    Wrote two = new Wrote("v", 2, true, at(2));
    Wrote three = new Wrote("v", 3, false, at(3));

    assertThat(rules(one, two, new Found("v", "n1", 2, at(4)))).isEmpty();
    assertThat(rules(one, two, new Found("v", "n1", 1, at(4)))).containsExactly(Rule.LOST_WRITE);
    assertThat(rules(one, two, three, new Found("v", "n1", 3, at(4)))).isEmpty();
    assertThat(rules(one, two, three, new Found("v", "n1", 2, at(4)))).isEmpty();
    assertThat(rules(one, two, new Found("v", "n1", 3, at(4)))).containsExactly(Rule.LOST_WRITE);
    assertThat(rules(one, new Deleted("v", at(2)), new Found("v", "n1", 0, at(4)))).isEmpty();
    assertThat(rules(one, new Deleted("v", at(2)), new Found("v", "n1", 1, at(4))))
        .as("a volume that was deleted came back")
        .containsExactly(Rule.LOST_WRITE);
  }

  @Test
  void aSizeBelowTheAcknowledgedOneIsFound() {
    Grown grown = new Grown("v", 64, at(1));

    assertThat(rules(grown, new Size("v", "the storage", 64, at(2)))).isEmpty();
    assertThat(rules(grown, new Size("v", "the storage", 32, at(2))))
        .containsExactly(Rule.LOST_GROWTH);
    assertThat(rules(new Size("v", "the storage", 32, at(0)), grown)).isEmpty();
    assertThat(rules(grown, new Deleted("v", at(2)), new Size("v", "the storage", 16, at(3))))
        .isEmpty();
  }

  @Test
  void aNodeThatIsSaidToFollowASizeAndWasNeverCalledForItIsFound() {
    Followed followed = new Followed("id", "n1", 64, at(5));

    assertThat(rules(followed)).containsExactly(Rule.LOST_GROWTH);
    assertThat(rules(new Expanded("id", "n1", 64, at(3)), followed)).isEmpty();
    assertThat(rules(new Expanded("id", "n1", 32, at(3)), followed))
        .as("a smaller size")
        .containsExactly(Rule.LOST_GROWTH);
    assertThat(rules(new Expanded("id", "n2", 64, at(3)), followed))
        .as("another node")
        .containsExactly(Rule.LOST_GROWTH);
    assertThat(rules(new Expanded("id", "n1", 64, at(6)), followed))
        .as("too late")
        .containsExactly(Rule.LOST_GROWTH);
  }

  @Test
  void whatIsLeftAtRestIsFound() {
    assertThat(rules(rest(Set.of("a"), Set.of("a"), List.of(), List.of()))).isEmpty();
    assertThat(rules(rest(Set.of(), Set.of("a"), List.of(), List.of())))
        .containsExactly(Rule.ORPHAN);
    assertThat(rules(rest(Set.of("a"), Set.of(), List.of(), List.of())))
        .containsExactly(Rule.LOST_VOLUME);
    assertThat(rules(rest(Set.of("a"), Set.of("a"), List.of("a to n1"), List.of())))
        .containsExactly(Rule.ORPHAN);
    assertThat(rules(rest(Set.of("a"), Set.of("a"), List.of(), List.of("/mnt"))))
        .containsExactly(Rule.ORPHAN);
    AtRest known =
        new AtRest(
            Set.of(), Set.of(), List.of(), Map.of(), Map.of("n1", List.of("a")), List.of(), at(9));
    assertThat(rules(known)).containsExactly(Rule.ORPHAN);
    AtRest claimed =
        new AtRest(Set.of(), Set.of(), List.of(), Map.of(), Map.of(), List.of("w1"), at(9));
    assertThat(rules(claimed)).containsExactly(Rule.ORPHAN);
  }

  @Test
  void workThatDoesNotEndIsFound() {
    assertThat(rules(new NotEnded("the release of v", "claimed", Duration.ofSeconds(90), at(9))))
        .containsExactly(Rule.NOT_ENDED);
  }

  @Test
  void theOrderInWhichFactsAreGivenDoesNotMatter() {
    assertThat(rules(publish("n2", 5), unpublish("n1", 3), publish("n1", 1))).isEmpty();
    assertThat(rules(new Found("v", "n1", 1, at(4)), new Wrote("v", 1, true, at(1)))).isEmpty();
  }
}
