package io.csi4j.testkit.internal.backend;

import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls in any order, lawful or not, answered as a plain model of the spec says. */
class RandomCallsTest {

  private static final int STEPS = 800;
  private static final int LIMIT = 3;

  // Kinds of calls; two of them come twice as often as the others.
  private static final int CREATE = 0;
  private static final int DELETE = 1;
  private static final int ATTACH = 2;
  private static final int DETACH = 4;
  private static final int STAGE = 5;
  private static final int UNSTAGE = 7;
  private static final int PUBLISH = 8;
  private static final int UNPUBLISH = 9;

  private static final List<NodeId> NODES = List.of(Asking.ONE, Asking.TWO);

  /** What the model holds; each key is a volume and a node, or a node and a path. */
  private static final class Model {
    final Map<String, Volume> alive = new HashMap<>();
    final Set<List<String>> attached = new HashSet<>();
    final Map<List<String>, String> staged = new HashMap<>();
    final Map<List<String>, String> published = new HashMap<>();

    boolean publishedOn(String volume, String node) {
      return published.entrySet().stream()
          .anyMatch(e -> e.getKey().get(0).equals(node) && e.getValue().equals(volume));
    }

    boolean inUse(String volume) {
      return attached.stream().anyMatch(at -> at.get(0).equals(volume))
          || staged.keySet().stream().anyMatch(at -> at.get(0).equals(volume))
          || published.containsValue(volume);
    }
  }

  private final Model model = new Model();
  private final MemoryKernel kernel = new MemoryKernel();
  private final Asking plugin =
      new Asking(
          PluginShape.full().maxVolumesPerNode(LIMIT),
          new MemoryStorage(NodeEffects.mountingIn(kernel.host())));
  private final List<Volume> known = new ArrayList<>();

  private static VolumeCapability use(Volume volume) {
    boolean shared = volume.getCapacityBytes() > Requests.GIB;
    return shared ? Requests.SHARED : Requests.WRITER;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void everyAnswerAndTheStateAreThoseOfTheModel(long seed) {
    Random random = new Random(seed);
    known.add(Volume.newBuilder().setVolumeId("never").build());
    Set<StatusCode> seen = new HashSet<>();
    answerWithEachCode(seen);
    assertThat(seen)
        .containsExactlyInAnyOrder(
            OK,
            NOT_FOUND,
            ALREADY_EXISTS,
            FAILED_PRECONDITION,
            INVALID_ARGUMENT,
            RESOURCE_EXHAUSTED);
    for (int i = 0; i < STEPS; i++) {
      step(random, seen);
      checkSame();
    }
  }

  /** Calls of which each code is the answer to one, whatever chance brings afterwards. */
  private void answerWithEachCode(Set<StatusCode> seen) {
    for (int name = 0; name <= LIMIT; name++) {
      create(name);
    }
    // The last one is one too many for the node.
    known.forEach(volume -> call(ATTACH, Asking.ONE, volume, "/node-1/target-0", false, seen));
    for (Volume volume : known.subList(1, 3)) {
      call(STAGE, Asking.ONE, volume, "/node-1/target-0", false, seen);
      call(PUBLISH, Asking.ONE, volume, "/node-1/target-0", false, seen);
    }
    call(UNPUBLISH, Asking.ONE, known.get(2), "/node-1/target-0", false, seen);
    call(DELETE, Asking.ONE, known.get(1), "/node-1/target-0", false, seen);
    checkSame();
  }

  private void step(Random random, Set<StatusCode> seen) {
    NodeId node = NODES.get(random.nextInt(2));
    Volume volume = known.get(Math.max(0, known.size() - 1 - random.nextInt(6)));
    boolean isElsewhere = random.nextInt(8) == 0;
    String target = "/" + node.value() + "/target-" + random.nextInt(4);
    int kind = random.nextInt(10);
    if (kind == CREATE) {
      create(random.nextInt(5));
    } else {
      call(kind, node, volume, target, isElsewhere, seen);
    }
  }

  private void call(
      int kind,
      NodeId node,
      Volume volume,
      String target,
      boolean isElsewhere,
      Set<StatusCode> seen) {
    String id = volume.getVolumeId();
    List<String> here = List.of(id, node.value());
    String path = "/" + node.value() + "/staging-" + id + (isElsewhere ? "-b" : "");
    kernel.host().directory(MountPath.of(path));
    boolean alive = model.alive.containsKey(id);
    Map<String, String> context = AttachService.context(id, node.value());
    switch (kind) {
      case DELETE -> {
        StatusCode expected = alive && model.inUse(id) ? FAILED_PRECONDITION : OK;
        if (done(node, Requests.delete(volume), expected, seen)) {
          model.alive.remove(id);
        }
      }
      case ATTACH, 3 -> {
        Message request = Requests.attach(volume, node, use(volume)).build();
        if (done(node, request, attaching(volume, here, alive), seen)) {
          model.attached.add(here);
        }
      }
      case DETACH -> {
        boolean busy = model.staged.containsKey(here) || model.publishedOn(id, node.value());
        StatusCode expected = model.attached.contains(here) && busy ? FAILED_PRECONDITION : OK;
        if (done(node, Requests.detach(volume, node.value()), expected, seen)) {
          model.attached.remove(here);
        }
      }
      case STAGE, 6 -> {
        Message request =
            Requests.stage(volume, context, use(volume)).setStagingTargetPath(path).build();
        boolean elsewhere = !model.staged.getOrDefault(here, path).equals(path);
        StatusCode expected =
            !alive
                ? NOT_FOUND
                : elsewhere || !model.attached.contains(here) ? FAILED_PRECONDITION : OK;
        if (done(node, request, expected, seen)) {
          model.staged.put(here, path);
        }
      }
      case UNSTAGE -> {
        boolean elsewhere = !model.staged.getOrDefault(here, path).equals(path);
        boolean busy = !elsewhere && model.publishedOn(id, node.value());
        NodeUnstageVolumeRequest request =
            Requests.unstage(volume).toBuilder().setStagingTargetPath(path).build();
        StatusCode expected = !alive ? NOT_FOUND : busy ? FAILED_PRECONDITION : OK;
        if (done(node, request, expected, seen) && !elsewhere) {
          model.staged.remove(here);
        }
      }
      case PUBLISH -> {
        Message request =
            Requests.publish(volume, context, use(volume), target)
                .setStagingTargetPath(path)
                .build();
        List<String> at = List.of(node.value(), target);
        if (done(node, request, publishing(volume, here, at, path), seen)) {
          model.published.put(at, id);
        }
      }
      default -> {
        List<String> at = List.of(node.value(), target);
        boolean others = !model.published.getOrDefault(at, id).equals(id);
        StatusCode expected = !alive ? NOT_FOUND : others ? INVALID_ARGUMENT : OK;
        if (done(node, Requests.unpublish(volume, target), expected, seen)) {
          model.published.remove(at);
        }
      }
    }
  }

  private void create(int name) {
    Volume volume =
        Requests.created(
            plugin,
            name % 2 == 0
                ? Requests.newVolume("v" + name)
                : Requests.newVolume("v" + name, Requests.SHARED)
                    .setCapacityRange(Requests.exactly(2 * Requests.GIB)));
    if (!model.alive.containsKey(volume.getVolumeId())) {
      model.alive.put(volume.getVolumeId(), volume);
      known.add(volume);
    }
  }

  private StatusCode attaching(Volume volume, List<String> here, boolean alive) {
    if (!alive) {
      return NOT_FOUND;
    }
    if (model.attached.contains(here)) {
      return OK;
    }
    String id = volume.getVolumeId();
    if (use(volume).equals(Requests.WRITER)
        && model.attached.stream().anyMatch(at -> at.get(0).equals(id))) {
      return FAILED_PRECONDITION;
    }
    long there = model.attached.stream().filter(at -> at.get(1).equals(here.get(1))).count();
    return there >= LIMIT ? RESOURCE_EXHAUSTED : OK;
  }

  private StatusCode publishing(Volume volume, List<String> here, List<String> at, String path) {
    String id = volume.getVolumeId();
    if (!model.alive.containsKey(id)) {
      return NOT_FOUND;
    }
    String there = model.published.get(at);
    if (there != null && !there.equals(id)) {
      return ALREADY_EXISTS;
    }
    if (!model.attached.contains(here) || !path.equals(model.staged.get(here))) {
      return FAILED_PRECONDITION;
    }
    boolean second = there == null && model.publishedOn(id, here.get(1));
    return second && use(volume).equals(Requests.WRITER) ? FAILED_PRECONDITION : OK;
  }

  private boolean done(NodeId node, Message request, StatusCode expected, Set<StatusCode> seen) {
    StatusCode code = OK;
    String text = "";
    try {
      assertThat(plugin.answers(node, request)).hasSize(1);
    } catch (Refusal refusal) {
      code = refusal.code();
      text = refusal.text();
    }
    assertThat(code).as("%s: %s", Asking.operation(request), text).isEqualTo(expected);
    seen.add(code);
    return code == OK;
  }

  private void checkSame() {
    PluginContents contents = plugin.backend.contents();
    assertThat(contents.volumes().stream().map(volume -> volume.value()))
        .containsExactlyInAnyOrderElementsOf(model.alive.keySet());
    assertThat(
            contents.attached().stream().map(at -> List.of(at.volume().value(), at.node().value())))
        .containsExactlyInAnyOrderElementsOf(model.attached);
    assertThat(
            contents.staged().stream()
                .collect(
                    Collectors.toMap(
                        at -> List.of(at.volume().value(), at.node().value()),
                        at -> at.path().value())))
        .isEqualTo(model.staged);
    assertThat(
            contents.published().stream()
                .collect(
                    Collectors.toMap(
                        at -> List.of(at.node().value(), at.path().value()),
                        at -> at.volume().value())))
        .isEqualTo(model.published);
    Set<String> mounted =
        kernel.table().list().records().stream()
            .map(record -> record.path().toString())
            .filter(path -> !path.equals("/"))
            .collect(Collectors.toSet());
    Set<String> expected = new HashSet<>(model.staged.values());
    model.published.keySet().forEach(at -> expected.add(at.get(1)));
    assertThat(mounted).isEqualTo(expected);
  }
}
