package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What comes between a caller and a plugin that obeys the spec in the plainest way. */
interface Spoiling {

  /** What the plugin offers. */
  PluginShape shape();

  /** The answer that the caller gets. */
  List<Message> answer(Backend inner, Backend.Asked asked, Memory memory) throws Refusal;

  /**
   * What the plugin remembers of earlier calls.
   *
   * @param count of something
   * @param answers by name
   * @param seen things
   */
  record Memory(AtomicInteger count, Map<String, List<Message>> answers, Set<String> seen) {
    Memory() {
      this(new AtomicInteger(), new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
    }
  }

  /** The backend, changed. */
  default Backend spoil(Backend inner) {
    Memory memory = new Memory();
    return new Backend() {
      @Override
      public List<Message> answer(Asked asked) throws Refusal {
        return Spoiling.this.answer(inner, asked, memory);
      }

      @Override
      public void open() {
        inner.open();
      }
    };
  }

  private static FieldDescriptor field(Message message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }

  static String text(Backend.Asked asked, String field) {
    return String.valueOf(asked.request().getField(field(asked.request(), field)));
  }

  static Backend.Asked with(Backend.Asked asked, String field, Object value) {
    Message request = asked.request();
    return new Backend.Asked(
        asked.operation(),
        asked.node(),
        request.toBuilder().setField(field(request, field), value).build());
  }

  static Backend.Asked without(Backend.Asked asked, String field) {
    Message request = asked.request();
    return new Backend.Asked(
        asked.operation(),
        asked.node(),
        request.toBuilder().clearField(field(request, field)).build());
  }

  static List<Message> instead(Backend inner, Backend.Asked asked, StatusCode of, Message answer)
      throws Refusal {
    try {
      return inner.answer(asked);
    } catch (Refusal e) {
      if (e.code() == of) {
        return List.of(answer);
      }
      throw e;
    }
  }
}
