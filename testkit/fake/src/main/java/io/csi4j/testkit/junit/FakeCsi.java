package io.csi4j.testkit.junit;

import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.model.ShapePreset;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Provides a CSI plugin to a test, and fails the test if it leaves volumes or calls behind or
 * breaks the rules of CSI.
 *
 * <p>An annotated class, nested class or method can have parameters in its tests, constructors and
 * {@code BeforeEach} methods. The supported types are {@code FakeCsiPlugin}, its {@code
 * CsiEndpoint}, a connected {@code CsiPlugin} client of that endpoint, its {@code CallJournal}, its
 * {@code VirtualClock} (with {@link #virtualTime}), and its {@code MemoryKernel} (with {@link
 * #mounts}). All parameters belong to one plugin. The innermost annotation applies.
 *
 * <p>An annotated parameter, or an annotated field of one of these types, gets a separate plugin.
 * Parameters and fields of the test with equal annotations share it. Fields are set before the
 * {@code BeforeEach} methods. Static fields are set before the {@code BeforeAll} methods, and need
 * {@link PluginLifetime#CLASS}.
 *
 * <p>The plugin is closed after each test. An otherwise successful test fails if volumes are still
 * in use, if calls are in flight, if resources of the plugin remain, or if the referee found a
 * broken binding duty. If a test has already failed, the journal of calls is published as a report
 * entry and added to the failure as a suppressed exception.
 *
 * @since 1.0
 */
@SuppressWarnings("exports") // Users of this annotation have JUnit on the module path.
@Target({
  ElementType.TYPE,
  ElementType.METHOD,
  ElementType.FIELD,
  ElementType.PARAMETER,
  ElementType.ANNOTATION_TYPE
})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(FakeCsiExtension.class)
public @interface FakeCsi {

  /** The shape of the plugin. */
  ShapePreset shape() default ShapePreset.FULL;

  /** A class that supplies the shape. It replaces {@link #shape}. */
  Class<? extends ShapeSource> shapeFrom() default ShapeSource.class;

  /** Quirks that are added to the plugin's shape. */
  Quirk[] quirks() default {};

  /**
   * The file of a {@link io.csi4j.testkit.fault.FaultScript}. Its faults are injected when the
   * plugin starts. The file is a resource on the class path of the test, such as {@code
   * faults/busy.txt}, or a path. Empty for none.
   */
  String faults() default "";

  /** The ids of the nodes on which the plugin runs. */
  String[] nodes() default {"node-1"};

  /** Whether the plugin's time advances only through its {@code VirtualClock}. */
  boolean virtualTime() default false;

  /**
   * Whether the plugin mounts published volumes in an in-memory namespace, for a host that reads
   * the mount table. Tests get the namespace through a parameter of type {@code MemoryKernel}.
   */
  boolean mounts() default false;

  /** Whether a test fails if the referee found a broken binding duty. */
  boolean lawful() default true;

  /** Which leftovers of a test make it fail. */
  LeftoverPolicy leftovers() default LeftoverPolicy.FAIL;

  /** The lifetime of the plugin. */
  PluginLifetime lifetime() default PluginLifetime.METHOD;

  /** A name that distinguishes two plugins with otherwise equal annotations. */
  String name() default "";
}
