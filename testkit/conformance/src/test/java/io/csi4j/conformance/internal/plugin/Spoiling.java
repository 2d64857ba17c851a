package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The way in which a plugin differs from one that obeys the spec in the plainest way. */
interface Spoiling {

  /** What the plugin offers. */
  PluginShape shape();

  /** How the plugin answers. */
  How how();

  /** An answer to each call. */
  interface How {
    List<Message> answer(Call call) throws Refusal;
  }

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

  /**
   * A call on its way to the plugin.
   *
   * @param inner the plugin that obeys the spec
   * @param asked the call
   * @param memory what the plugin remembers
   */
  record Call(Backend inner, Backend.Asked asked, Memory memory) {

    boolean is(CsiOperation which) {
      return asked.operation() == which;
    }

    CsiOperation.Service service() {
      return asked.operation().service();
    }

    Message request() {
      return asked.request();
    }

    boolean has(String field) {
      return request().getDescriptorForType().findFieldByName(field) != null;
    }

    /** The value of a field. */
    String text(String field) {
      return String.valueOf(request().getField(field(field)));
    }

    /** The answer of the plugin that obeys the spec. */
    List<Message> pass() throws Refusal {
      return inner.answer(asked);
    }

    /** The answer of the plugin that obeys the spec to another request. */
    List<Message> pass(Message other) throws Refusal {
      return inner.answer(new Backend.Asked(asked.operation(), asked.node(), other));
    }

    List<Message> with(String field, Object value) throws Refusal {
      return pass(request().toBuilder().setField(field(field), value).build());
    }

    List<Message> without(String field) throws Refusal {
      return pass(request().toBuilder().clearField(field(field)).build());
    }

    private FieldDescriptor field(String name) {
      return request().getDescriptorForType().findFieldByName(name);
    }
  }

  /** The backend, changed. */
  default Backend spoil(Backend inner) {
    Memory memory = new Memory();
    return new Backend() {
      @Override
      public List<Message> answer(Asked asked) throws Refusal {
        return how().answer(new Call(inner, asked, memory));
      }

      @Override
      public void open() {
        inner.open();
      }
    };
  }

  /** Answers some calls in another way. */
  static How when(Predicate<Call> which, How how) {
    return call -> which.test(call) ? how.answer(call) : call.pass();
  }

  /** Answers one operation in another way. */
  static How when(CsiOperation which, How how) {
    return when(call -> call.is(which), how);
  }

  /** Answers an operation as if it had been called without a field. */
  static How ignoring(CsiOperation which, String field) {
    return when(which, call -> call.without(field));
  }

  /** Answers an operation with this where it should be refused with a code. */
  static How instead(CsiOperation which, StatusCode of, Message answer) {
    return when(which, call -> instead(call, of, answer));
  }

  static List<Message> instead(Call call, StatusCode of, Message answer) throws Refusal {
    try {
      return call.pass();
    } catch (Refusal e) {
      if (e.code() == of) {
        return List.of(answer);
      }
      throw e;
    }
  }

  /** Refuses some calls. */
  static How refusing(Predicate<Call> which, StatusCode code, String text) {
    return when(
        which,
        call -> {
          throw new Refusal(code, text);
        });
  }

  /** Refuses an operation. */
  static How refusing(CsiOperation which, StatusCode code) {
    return refusing(call -> call.is(which), code, "not in this plugin");
  }

  /** Does the work of an operation, and refuses it. */
  static How refusingAfterwards(CsiOperation which, StatusCode code, String text) {
    return when(
        which,
        call -> {
          List<Message> unused = call.pass();
          throw new Refusal(code, text);
        });
  }

  /** Refuses some calls, which are refused anyway, with another code. */
  static How recoding(BiPredicate<Call, Refusal> which, StatusCode code) {
    return call -> {
      try {
        return call.pass();
      } catch (Refusal e) {
        throw which.test(call, e) ? new Refusal(code, e.text()) : e;
      }
    };
  }

  /** Changes the answers of one type, which is named by its builder. */
  static <B extends Message.Builder> How changing(Class<B> type, Consumer<B> change) {
    return call -> changed(call.pass(), type, change);
  }

  static <B extends Message.Builder> List<Message> changed(
      List<Message> answer, Class<B> type, Consumer<B> change) {
    return answer.stream()
        .map(
            each -> {
              Message.Builder builder = each.toBuilder();
              if (!type.isInstance(builder)) {
                return each;
              }
              change.accept(type.cast(builder));
              return builder.build();
            })
        .toList();
  }
}
