package io.csi4j.testkit.internal.referee;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LawfulCallerTest {

  static Stream<PluginShape> shapes() {
    return Stream.of(
        PluginShape.full(),
        PluginShape.separateSockets(),
        PluginShape.nodeOnly(),
        PluginShape.noStaging(),
        PluginShape.noAttach(),
        PluginShape.attachRequired(),
        PluginShape.blockOnly(),
        PluginShape.plain());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void theRefereeHasNothingToSayAboutALawfulCaller(PluginShape shape) {
    Toy toy = lawful(shape);
    Verdict verdict = toy.verdict();
    assertThat(verdict.broken()).as(verdict.describe()).isEmpty();
    assertThat(verdict.lawful()).isTrue();
    assertThatCode(verdict::assertLawful).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void everyFifthPartOfALawfulJournalDoesNotAccuseItsCaller(PluginShape shape) {
    assertNoPartAccuses(shape, 5);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("shapes")
  void noPartOfALawfulJournalAccusesItsCaller(PluginShape shape) {
    assertNoPartAccuses(shape, 1);
  }

  private static void assertNoPartAccuses(PluginShape shape, int stride) {
    List<JournalEvent> all = lawful(shape).events();
    for (int begin = 1; begin < all.size(); begin += stride) {
      if (!(all.get(begin) instanceof JournalEvent.Ended)) {
        Verdict verdict = AllRules.judge(all.subList(begin, all.size()));
        assertThat(verdict.broken()).as(verdict.describe()).isEmpty();
      }
    }
  }

  private static Toy lawful(PluginShape shape) {
    Toy toy = Toy.introduced(shape);
    toy.ok(io.csi4j.client.model.CsiOperation.PROBE, "");
    boolean creates = shape.offers(ControllerCapability.CREATE_DELETE_VOLUME);
    lives(toy, creates);
    lostAnswers(toy, creates);
    restarts(toy, shape, creates);
    if (shape.offers(ControllerCapability.EXPAND_VOLUME)) {
      expansion(toy, shape);
    }
    if (shape.offers(ControllerCapability.CREATE_DELETE_SNAPSHOT)) {
      snapshots(toy, shape);
    }
    if (shape.offers(ControllerCapability.LIST_VOLUMES)) {
      pages(toy);
    }
    amnesia(toy, creates);
    return toy;
  }

  private static Toy begin(Toy toy, String volume, boolean creates) {
    return creates ? toy.create(volume) : toy;
  }

  private static void end(Toy toy, String volume, boolean creates) {
    toy.leave(volume);
    if (creates) {
      toy.delete(volume);
    }
  }

  private static void lives(Toy toy, boolean creates) {
    for (String volume : new String[] {"a", "b", "c"}) {
      begin(toy, volume, creates).attach(volume).stage(volume);
    }
    for (String volume : new String[] {"c", "a", "b"}) {
      toy.publish(volume, Toy.target(volume));
    }
    for (String volume : new String[] {"b", "c", "a"}) {
      end(toy, volume, creates);
    }
    begin(toy, "d", creates).attach("d").stage("d").publish("d", "/t/one").unpublish("d", "/t/one");
    toy.publish("d", Toy.target("d"));
    end(toy, "d", creates);
  }

  private static void lostAnswers(Toy toy, boolean creates) {
    String volume = "lost";
    if (creates) {
      toy.lost(CREATE_VOLUME, toy.created(volume)).create(volume);
    }
    if (toy.attaches()) {
      toy.lost(io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME, toy.attached(volume));
    }
    toy.attach(volume);
    if (toy.stages()) {
      toy.lost(NODE_STAGE_VOLUME, toy.staged(volume));
    }
    toy.stage(volume)
        .lost(NODE_PUBLISH_VOLUME, toy.published(volume, "/t/lost"))
        .fail(NODE_PUBLISH_VOLUME, toy.published(volume, "/t/lost"), StatusCode.ABORTED)
        .publish(volume, "/t/lost")
        .lost(NODE_UNPUBLISH_VOLUME, Toy.unpublished(volume, "/t/lost"))
        .ok(NODE_UNPUBLISH_VOLUME, Toy.unpublished(volume, "/t/lost"))
        .unstage(volume);
    if (toy.attaches()) {
      toy.lost(CONTROLLER_UNPUBLISH_VOLUME, Toy.detached(volume, "node-1"));
    }
    toy.detach(volume);
    if (creates) {
      toy.lost(DELETE_VOLUME, Toy.id(volume)).delete(volume);
    }
    begin(toy, "gone", creates)
        .attach("gone")
        .stage("gone")
        .lost(NODE_PUBLISH_VOLUME, toy.published("gone", "/t/gone"));
    end(toy, "gone", creates);
  }

  private static void restarts(Toy toy, PluginShape shape, boolean creates) {
    begin(toy, "r", creates).attach("r").stage("r").publish("r", "/t/r");
    toy.stop().start(shape).introduce();
    begin(toy, "s", creates).attach("s").stage("s").publish("s", "/t/s");
    end(toy, "r", creates);
    toy.stop().start(shape.vendorVersion("2.0.0")).introduce();
    end(toy, "s", creates);
  }

  private static void expansion(Toy toy, PluginShape shape) {
    String larger = Toy.id("x") + "capacity_range { required_bytes: 2000 } ";
    toy.use("x")
        .ok(
            CONTROLLER_EXPAND_VOLUME,
            larger + Toy.capability(toy.mode()),
            "node_expansion_required: true");
    if (shape.offers(NodeCapability.EXPAND_VOLUME)) {
      toy.ok(
          NODE_EXPAND_VOLUME,
          Toy.id("x") + (toy.stages() ? Toy.at("x") : "") + "volume_path: '/t/x'");
    }
    end(toy, "x", true);
  }

  private static void snapshots(Toy toy, PluginShape shape) {
    toy.create("v").snapshot("s1", "v", false).snapshot("s1", "v", true);
    toy.ok(
            CREATE_VOLUME,
            toy.created("w")
                + "volume_content_source { snapshot { snapshot_id: 's1' } } "
                + "capacity_range { required_bytes: 1000 }",
            Toy.made("w"))
        .ok(io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT, "snapshot_id: 's1'")
        .delete("w");
    if (shape.offers(GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)) {
      toy.group("g", "m", "v", false)
          .group("g", "m", "v", true)
          .ok(DELETE_VOLUME_GROUP_SNAPSHOT, "group_snapshot_id: 'g' snapshot_ids: 'm'");
    }
    toy.delete("v");
  }

  private static void pages(Toy toy) {
    toy.ok(LIST_VOLUMES, "max_entries: 1", "next_token: 't1'")
        .ok(LIST_VOLUMES, "max_entries: 1 starting_token: 't1'", "next_token: 't2'")
        .fail(LIST_VOLUMES, "max_entries: 1 starting_token: 't2'", StatusCode.ABORTED)
        .ok(LIST_VOLUMES, "max_entries: 1");
  }

  private static void amnesia(Toy toy, boolean creates) {
    begin(toy, "m", creates).attach("m").stage("m").publish("m", "/t/m");
    toy.forget();
    begin(toy, "m", creates).attach("m").stage("m");
    toy.ok(NODE_PUBLISH_VOLUME, toy.published("m", "/t/m"));
    end(toy, "m", creates);
    begin(toy, "n", creates).attach("n").stage("n").publish("n", "/t/n");
    toy.forget().unstage("n").detach("n");
  }
}
