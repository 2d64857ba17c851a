package io.csi4j.testkit.junit;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.model.VirtualClock;
import io.csi4j.testkit.mount.MemoryKernel;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ModifierSupport;
import org.opentest4j.TestAbortedException;

/**
 * The JUnit extension that implements {@link FakeCsi}. The annotation registers the extension.
 *
 * @since 1.0
 */
@SuppressWarnings("exports") // Users of this annotation have JUnit on the module path.
public final class FakeCsiExtension
    implements ParameterResolver,
        InvocationInterceptor,
        BeforeAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AfterAllCallback {

  private static final Namespace NAMESPACE = Namespace.create(FakeCsiExtension.class);

  /** Supported types of parameters and fields, with the function that supplies each value. */
  private static final Map<Class<?>, Function<PluginOfTest, Object>> GIVEN =
      Map.of(
          FakeCsiPlugin.class, PluginOfTest::plugin,
          TestPlugin.class, PluginOfTest::plugin,
          CsiEndpoint.class, its -> its.plugin().endpoint(),
          CsiPlugin.class, PluginOfTest::client,
          CallJournal.class, its -> its.plugin().journal(),
          VirtualClock.class, PluginOfTest::clock,
          MemoryKernel.class, PluginOfTest::kernel);

  /** JUnit calls this constructor. */
  public FakeCsiExtension() {}

  /**
   * The constructor of a test class runs in the context of one test method, unless one instance
   * serves all tests of the class.
   */
  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(
      ExtensionContext rootContext) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return GIVEN.containsKey(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return given(parameter.getParameter().getType(), asked(parameter, context));
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    setFields(context.getRequiredTestClass(), null, ModifierSupport::isStatic, context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    for (Object tests : context.getRequiredTestInstances().getAllInstances()) {
      setFields(tests.getClass(), tests, ModifierSupport::isNotStatic, context);
    }
  }

  private static void setFields(
      Class<?> of, @Nullable Object tests, Predicate<Field> which, ExtensionContext context) {
    for (Field field : AnnotationSupport.findAnnotatedFields(of, FakeCsi.class, which)) {
      if (!GIVEN.containsKey(field.getType()) || ModifierSupport.isFinal(field)) {
        throw new ExtensionConfigurationException(
            ("@FakeCsi is on the field %s, which cannot be injected. Make it non-final, and of one"
                    + " of these types: %s.")
                .formatted(
                    field.getName(),
                    GIVEN.keySet().stream().map(Class::getSimpleName).sorted().toList()));
      }
      FakeCsi csi = AnnotationSupport.findAnnotation(field, FakeCsi.class).orElseThrow();
      try {
        field.trySetAccessible();
        field.set(tests, given(field.getType(), at(csi, context, context)));
      } catch (IllegalAccessException e) {
        throw new ExtensionConfigurationException(
            "@FakeCsi cannot set the field " + field.getName() + ". Open its package to JUnit.", e);
      }
    }
  }

  private static Object given(Class<?> type, Asked asked) {
    PluginOfTest plugin = plugins(asked.home()).open(asked.csi());
    return Objects.requireNonNull(GIVEN.get(type)).apply(plugin);
  }

  /**
   * A dynamic test belongs to the method that created it. JUnit does not report its failure to that
   * method, so this method records it.
   */
  @Override
  public void interceptDynamicTest(
      Invocation<Void> test, DynamicTestInvocationContext about, ExtensionContext context)
      throws Throwable {
    try {
      test.proceed();
    } catch (Throwable failure) {
      tellUnlessAborted(context, failure);
      throw failure;
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Optional<Throwable> failure = context.getExecutionException();
    failure.ifPresent(each -> tellUnlessAborted(context, each));
    end(context, failure);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    end(context, context.getExecutionException());
  }

  // ---- selecting the plugin

  /**
   * An annotation, with the context that holds its plugin.
   *
   * @param csi the annotation
   * @param home the context whose store holds the plugin; the plugin is closed together with this
   *     context
   */
  private record Asked(FakeCsi csi, ExtensionContext home) {}

  private static Asked asked(ParameterContext parameter, ExtensionContext context) {
    Optional<FakeCsi> own = parameter.findAnnotation(FakeCsi.class);
    if (own.isPresent()) {
      return at(own.get(), context, context);
    }
    for (ExtensionContext each : outwards(context)) {
      Optional<FakeCsi> found = AnnotationSupport.findAnnotation(each.getElement(), FakeCsi.class);
      if (found.isPresent()) {
        return at(found.get(), each, context);
      }
    }
    throw new ParameterResolutionException(
        "The plugin is ambiguous. Annotate the class, the method or the parameter with"
            + " @FakeCsi.");
  }

  private static Asked at(FakeCsi csi, ExtensionContext found, ExtensionContext context) {
    if (csi.lifetime() == PluginLifetime.METHOD) {
      if (context.getTestMethod().isEmpty()) {
        throw new ParameterResolutionException(
            "A plugin for one test cannot be injected into code that runs once for all tests of a"
                + " class. Declare it with @FakeCsi(lifetime = PluginLifetime.CLASS).");
      }
      return new Asked(csi, context);
    }
    ExtensionContext home = found;
    while (home.getTestMethod().isPresent() && home.getParent().isPresent()) {
      home = home.getParent().get();
    }
    return new Asked(csi, home);
  }

  /** Returns this context and its parents, innermost first. */
  private static List<ExtensionContext> outwards(ExtensionContext context) {
    return Stream.iterate(Optional.of(context), Optional::isPresent, each -> each.get().getParent())
        .map(Optional::get)
        .toList();
  }

  // ---- storing the plugins

  private static Plugins plugins(ExtensionContext home) {
    return home.getStore(NAMESPACE)
        .getOrComputeIfAbsent(home.getUniqueId(), id -> new Plugins(), Plugins.class);
  }

  private static Optional<Plugins> kept(ExtensionContext home) {
    return Optional.ofNullable(home.getStore(NAMESPACE).get(home.getUniqueId(), Plugins.class));
  }

  /** The plugins of one test or one class. The store closes those that are still open. */
  private static final class Plugins implements AutoCloseable {
    private final ConcurrentMap<FakeCsi, PluginOfTest> all = new ConcurrentHashMap<>();
    private volatile boolean hasFailed;

    PluginOfTest open(FakeCsi csi) {
      return all.computeIfAbsent(csi, PluginOfTest::open);
    }

    /**
     * Records that a test failed that may have used these plugins. Its leftovers are then not
     * reported as a separate failure.
     */
    void testFailed() {
      hasFailed = true;
    }

    boolean hasFailed() {
      return hasFailed;
    }

    List<PluginOfTest> list() {
      return List.copyOf(all.values());
    }

    @Override
    public void close() {
      all.values().forEach(PluginOfTest::close);
    }
  }

  // ---- after a test

  private static void tellUnlessAborted(ExtensionContext context, Throwable failure) {
    if (!(failure instanceof TestAbortedException)) {
      tell(context, failure);
    }
  }

  /** Publishes the journals of all plugins of the failed test and of its class. */
  private static void tell(ExtensionContext context, Throwable failure) {
    for (ExtensionContext each : outwards(context)) {
      kept(each).ifPresent(Plugins::testFailed);
      for (PluginOfTest plugin : kept(each).map(Plugins::list).orElse(List.of())) {
        context.publishReportEntry("csi4j.journal", plugin.journal());
        failure.addSuppressed(plugin.note());
      }
    }
  }

  /** Closes the plugins whose lifetime ends; fails only a test that has not failed already. */
  private static void end(ExtensionContext context, Optional<Throwable> failure) {
    boolean hasFailed = failure.isPresent() || kept(context).filter(Plugins::hasFailed).isPresent();
    AssertionError first = null;
    for (PluginOfTest plugin : kept(context).map(Plugins::list).orElse(List.of())) {
      JournalOfFailedTest note = plugin.note();
      Optional<AssertionError> wrong = plugin.end();
      if (wrong.isEmpty()) {
        continue;
      }
      if (!hasFailed) {
        context.publishReportEntry("csi4j.journal", note.getMessage());
      }
      wrong.get().addSuppressed(note);
      if (first == null) {
        first = wrong.get();
      } else {
        first.addSuppressed(wrong.get());
      }
    }
    if (first != null && !hasFailed) {
      throw first;
    }
  }
}
