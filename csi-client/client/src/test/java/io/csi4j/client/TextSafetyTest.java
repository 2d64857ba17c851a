package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.csi4j.client.scripted.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a plugin says, what people are shown of it is one printable line. */
class TextSafetyTest {

  /** Line ends, a terminal's escapes, what turns or hides text; all but NUL, which ids refuse. */
  private static final String HOSTILE =
      "\n"
          + "[INFO] all is well\r"
          + "\u001b[31mred\u009b1m\u0007\b\u007f\u0085\u2028\u2029\u202e\u2066\u200b\ufeff\t";

  @TempDir Path directory;
  private final ConcurrentLinkedQueue<String> shown = new ConcurrentLinkedQueue<>();
  private final Logger logger = Logger.getLogger("io.csi4j.client");
  private final Handler handler = new Capture();
  private ScriptedPlugin scripted;
  private CsiPlugin plugin;

  @BeforeEach
  void connect() {
    logger.setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    plugin =
        CsiPlugin.connect(
            scripted.endpoint(),
            ConnectOptions.builder()
                .policies(policy -> policy.backoff(Duration.ZERO).pendingBackoff(Duration.ZERO))
                .listener(
                    new CsiListener() {
                      @Override
                      public void onEnd(Ended event) {
                        shown.add(event.toString());
                      }

                      @Override
                      public void onWarning(Warning event) {
                        shown.add(event.toString());
                        shown.add(event.violation().field());
                        shown.add(event.violation().detail());
                      }
                    })
                .build());
  }

  @AfterEach
  void close() {
    plugin.close();
    scripted.close();
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    logger.setLevel(null);
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void failuresAreShownInOnePrintableLine(CsiOperation operation) {
    scripted.fail(operation, StatusCode.INTERNAL, "mount" + HOSTILE + '\0' + "failed");
    call(operation);
    assertThat(shown).anyMatch(text -> text.contains("\\u001b[31mred"));
    everythingIsPrintable();
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void answersAreShownInOnePrintableLine(CsiOperation operation) {
    call(operation);
    scripted.answer(operation, hostile(Wire.response(operation), HOSTILE));
    call(operation);
    scripted.answer(operation, hostile(Wire.response(operation), HOSTILE + '\0'));
    call(operation);
    scripted.on(
        operation,
        (call, reply) ->
            reply.ok(
                ScriptedPlugin.defaultAnswer(operation, call.request()).toBuilder()
                    .mergeFrom(hostile(Wire.response(operation), HOSTILE))
                    .mergeFrom(ScriptedPlugin.defaultAnswer(operation, call.request()))
                    .build()));
    call(operation);
    everythingIsPrintable();
  }

  @Test
  void connectFailuresAreShownInOnePrintableLine() {
    ConnectOptions options = ConnectOptions.builder().deadline(Duration.ofMillis(200)).build();
    scripted.fail(CsiOperation.PROBE, StatusCode.INTERNAL, HOSTILE);
    look(thrownBy(() -> CsiPlugin.connect(scripted.endpoint(), options)));
    look(
        thrownBy(
            () ->
                CsiPlugin.connect(
                    CsiEndpoint.of(directory.resolve("a" + HOSTILE + "b")), options)));
    assertThat(shown).hasSizeGreaterThan(4);
    everythingIsPrintable();
  }

  private void everythingIsPrintable() {
    assertThat(shown).isNotEmpty();
    for (String text : shown) {
      assertThat(text.codePoints().filter(TextSafetyTest::isUnsafe).toArray()).as(text).isEmpty();
    }
  }

  private static boolean isUnsafe(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }

  private void call(CsiOperation operation) {
    Samples samples = new Samples(5);
    look(thrownBy(() -> shown(Samples.call(plugin, operation, samples.request(operation, false)))));
    samples.textsEndingWith("\u202e\u2028\n");
    Object request = samples.request(operation, true);
    shown(request);
    look(thrownBy(() -> shown(Samples.call(plugin, operation, request))));
  }

  private void shown(@Nullable Object value) {
    shown.add(String.valueOf(value));
  }

  private static @Nullable Throwable thrownBy(Runnable action) {
    try {
      action.run();
      return null;
    } catch (CsiException e) {
      return e;
    }
  }

  private void look(@Nullable Throwable thrown) {
    if (thrown == null) {
      return;
    }
    shown.add(thrown.toString());
    if (thrown instanceof CsiException e) {
      CsiFailure failure = e.failure();
      shown.addAll(List.of(failure.message(), failure.toString(), failure.why(), e.advice()));
      failure.pluginText().ifPresent(shown::add);
      failure.subject().ifPresent(shown::add);
    }
    if (thrown instanceof CsiAnswerException answer) {
      answer
          .violations()
          .forEach(each -> shown.addAll(List.of(each.toString(), each.field(), each.detail())));
    }
    if (thrown instanceof CsiRequestException request) {
      request
          .violations()
          .forEach(each -> shown.addAll(List.of(each.toString(), each.field(), each.detail())));
    }
    look(thrown.getCause());
    for (Throwable each : thrown.getSuppressed()) {
      look(each);
    }
  }

  /** {@code prototype} with {@code text} wherever there can be one. */
  private static Message hostile(Message prototype, String text) {
    Message.Builder out = prototype.newBuilderForType();
    for (FieldDescriptor field : prototype.getDescriptorForType().getFields()) {
      boolean message = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
      if (!message && field.getJavaType() != FieldDescriptor.JavaType.STRING) {
        continue;
      }
      Object value =
          message ? hostile(out.newBuilderForField(field).build(), text) : (Object) ("x" + text);
      if (field.isRepeated()) {
        out.addRepeatedField(field, value);
      } else {
        out.setField(field, value);
      }
    }
    return out.build();
  }

  private final class Capture extends Handler {
    Capture() {
      setLevel(Level.ALL);
      setFormatter(new SimpleFormatter());
    }

    @Override
    public void publish(LogRecord record) {
      shown.add(getFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
