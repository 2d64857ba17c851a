package io.csi4j.volume.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.OperatorException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Calls every public method of an entry point, and reports each exception that is not of the family
 * that a host catches. A method that is added later is called, too: its arguments have to be among
 * the samples.
 */
public final class PublicCalls {

  /** A stage that has not ended by then has thrown nothing. */
  private static final long LIMIT_MILLIS = 200;

  private final Class<? extends OperatorException> family;
  private final Map<String, Object> samples;
  private int failures;

  /**
   * Calls with these arguments.
   *
   * @param family what may be thrown
   * @param samples arguments, by the name of their type; that with type arguments goes first
   */
  public PublicCalls(Class<? extends OperatorException> family, Map<String, Object> samples) {
    this.family = family;
    this.samples = Map.copyOf(samples);
  }

  /** Returns what the methods throw that is of another family, with the names of the methods. */
  public List<String> strangers(Class<?> type, Object subject) {
    return strangers(type, () -> subject);
  }

  /**
   * The same, for a subject that is prepared before each call.
   *
   * @param prepared returns the subject
   */
  public List<String> strangers(Class<?> type, Supplier<?> prepared) {
    List<String> strangers = new ArrayList<>();
    for (Method method : methods(type)) {
      Object subject = prepared.get();
      try {
        follow(method.invoke(subject, arguments(method)));
      } catch (InvocationTargetException | ExecutionException e) {
        note(method, e.getCause(), strangers);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(e.getMessage(), e);
      } catch (Exception e) {
        note(method, e, strangers);
      }
    }
    return strangers;
  }

  private static List<Method> methods(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !method.isBridge() && !method.getName().equals("close"))
        .sorted(Comparator.comparing(Method::toGenericString))
        .toList();
  }

  private Object[] arguments(Method method) {
    return Arrays.stream(method.getGenericParameterTypes()).map(this::argument).toArray();
  }

  private Object argument(Type type) {
    Object sample = samples.get(type.getTypeName());
    if (sample == null && type instanceof ParameterizedType generic) {
      sample = samples.get(generic.getRawType().getTypeName());
    }
    assertThat(sample).as("a value for %s", type).isNotNull();
    return sample;
  }

  /** Waits for what is not at its end when the method returns. */
  private static void follow(Object answer) throws Exception {
    if (answer instanceof CompletionStage<?> stage) {
      end(stage.toCompletableFuture());
    } else if (answer instanceof Flow.Publisher<?> publisher) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      publisher.subscribe(new All(end));
      end(end);
    } else if (answer instanceof Iterable<?> listing) {
      listing.forEach(each -> {});
    } else if (answer instanceof AutoCloseable opened) {
      opened.close();
    }
  }

  private static void end(CompletableFuture<?> stage)
      throws InterruptedException, ExecutionException {
    try {
      var unused = stage.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException stillOpen) {
      stage.cancel(true);
    }
  }

  /** Returns how many calls have failed so far, in whatever way. */
  public int failures() {
    return failures;
  }

  private void note(Method method, Throwable thrown, List<String> strangers) {
    failures++;
    if (!family.isInstance(thrown)) {
      strangers.add(method.getName() + ": " + thrown);
    }
  }

  /** Takes all that is published. */
  private record All(CompletableFuture<Void> end) implements Flow.Subscriber<Object> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object item) {}

    @Override
    public void onError(Throwable thrown) {
      end.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
      end.complete(null);
    }
  }
}
