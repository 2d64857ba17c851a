package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a host's own logger or serialiser makes of a request: its text, and its properties as
 * serialisers find them, which are the components of records, getters of beans and public fields.
 */
class LoggedRequestsTest {

  private static final String HIDDEN = "f00dcafe-hidden";

  static Stream<Object> requests() {
    VolumeCapability capability =
        VolumeCapability.mount(
            AccessMode.SINGLE_NODE_WRITER,
            MountOptions.none().withFlags(MountFlags.of("password=" + HIDDEN)));
    Secrets secrets = Secrets.of(Map.of("token", HIDDEN));
    VolumeContext volume = VolumeContext.of(Map.of("token", HIDDEN));
    PublishContext attached = PublishContext.of(Map.of("chap", HIDDEN));
    VolumeUse use = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
    return Stream.of(
        MountRequest.builder(
                PluginId.of("plugin"), use, VolumeId.of("vol-7"), AccessMode.SINGLE_NODE_WRITER)
            .requestOptions(capability.mountOptions().orElseThrow())
            .volumeContext(volume)
            .publishContext(attached)
            .secrets(SecretsProvider.always(secrets))
            .build(),
        NodeStageVolumeRequest.builder(VolumeId.of("vol-7"), PluginPath.of("/s"), capability)
            .volumeContext(volume)
            .publishContext(attached)
            .secrets(secrets)
            .build(),
        ControllerPublishVolumeRequest.builder(VolumeId.of("vol-7"), NodeId.of("n"), capability)
            .volumeContext(volume)
            .secrets(secrets)
            .build(),
        CreateVolumeRequest.builder("db", List.of(capability)).secrets(secrets).build());
  }

  @ParameterizedTest
  @MethodSource("requests")
  void itsTextIsRedacted(Object request) {
    assertThat(request.toString()).doesNotContain(HIDDEN);
    assertThat("" + Optional.of(request) + List.of(request)).doesNotContain(HIDDEN);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void noPropertyThatASerialiserFindsHoldsASecretInClear(Object request) throws Exception {
    List<String> texts = new ArrayList<>();
    int visited = properties(request, texts, Collections.newSetFromMap(new IdentityHashMap<>()));
    assertThat(texts).noneMatch(text -> text.contains(HIDDEN));
    assertThat(request).isNotInstanceOf(Serializable.class);
    assertThat(visited).isPositive();
  }

  /** A bean that gives itself away is found, so that the walk is known to look. */
  @Test
  void aPropertyThatHoldsASecretIsFound() throws Exception {
    record Careless(Optional<Map<String, String>> secrets) {}
    List<String> texts = new ArrayList<>();
    properties(
        new Careless(Optional.of(Map.of("token", HIDDEN))),
        texts,
        Collections.newSetFromMap(new IdentityHashMap<>()));
    assertThat(texts).contains(HIDDEN);
  }

  private static int properties(Object value, List<String> texts, Set<Object> seen)
      throws ReflectiveOperationException {
    if (value == null || !seen.add(value)) {
      return 0;
    }
    if (value instanceof CharSequence || value instanceof Number || value instanceof Enum<?>) {
      texts.add(value.toString());
      return 1;
    }
    List<Object> parts = new ArrayList<>();
    if (value instanceof Optional<?> optional) {
      optional.ifPresent(parts::add);
    } else if (value instanceof Iterable<?> many) {
      many.forEach(parts::add);
    } else if (value instanceof Map<?, ?> map) {
      parts.addAll(map.keySet());
      parts.addAll(map.values());
    } else if (value.getClass().getName().startsWith("io.csi4j.")) {
      parts.addAll(propertiesOf(value));
    }
    int visited = 1;
    for (Object part : parts) {
      visited += properties(part, texts, seen);
    }
    return visited;
  }

  private static List<Object> propertiesOf(Object value) throws ReflectiveOperationException {
    List<Object> parts = new ArrayList<>();
    if (value instanceof Record) {
      for (RecordComponent component : value.getClass().getRecordComponents()) {
        component.getAccessor().setAccessible(true);
        parts.add(component.getAccessor().invoke(value));
      }
    }
    for (Method method : value.getClass().getMethods()) {
      boolean isGetter =
          method.getName().matches("(get|is)[A-Z].*")
              && method.getParameterCount() == 0
              && !Modifier.isStatic(method.getModifiers())
              && method.getDeclaringClass() != Object.class;
      if (isGetter) {
        method.setAccessible(true);
        parts.add(method.invoke(value));
      }
    }
    for (Field field : value.getClass().getFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        parts.add(field.get(value));
      }
    }
    return parts;
  }
}
