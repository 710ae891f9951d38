package io.github.redisstreams.config;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.failure.FailureHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/**
 * The {@link FailureHandler} beans of an application, created when they are asked for.
 */
public class FailureHandlers {

	private final ListableBeanFactory beanFactory;

	/**
	 * Create a new instance.
	 * @param beanFactory holds the beans
	 */
	public FailureHandlers(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * The handler for listeners that name none: the only one, or the primary of several.
	 * @return the handler, or {@code null} if there is none
	 * @throws NoUniqueBeanDefinitionException if there are several, and none is primary
	 */
	public @Nullable FailureHandler byDefault() {
		return this.beanFactory.getBeanProvider(FailureHandler.class).getIfAvailable();
	}

	/**
	 * The handler of a certain name.
	 * @param name the bean's name
	 * @param setting what names it, such as a property, as errors are to call it
	 * @return the handler
	 * @throws StreamsConfigurationException if there is no such bean, or it is no
	 * {@link FailureHandler}
	 */
	public FailureHandler named(String name, String setting) {
		if (!this.beanFactory.containsBean(name)) {
			throw new StreamsConfigurationException(setting + " names the bean '" + name + "', which does not exist",
					mend(), new NoSuchBeanDefinitionException(name));
		}
		try {
			return this.beanFactory.getBean(name, FailureHandler.class);
		}
		catch (BeanNotOfRequiredTypeException ex) {
			throw new StreamsConfigurationException(setting + " names the bean '" + name + "', which is no "
					+ FailureHandler.class.getSimpleName() + " but a " + ex.getActualType().getName(), mend(), ex);
		}
	}

	private String mend() {
		String[] names = this.beanFactory.getBeanNamesForType(FailureHandler.class, true, false);
		return (names.length > 0) ? "Name one of the FailureHandler beans: " + String.join(", ", names) + "."
				: "There is no FailureHandler bean at all: define one of that name, or name none.";
	}

}
